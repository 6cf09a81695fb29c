import { ContainerIcon } from '@primer/octicons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { inPromotionOrder } from '../../../domain/environments/environments.ts';
import { formAction } from '../../components/actions/form-action.tsx';
import { usePageAction } from '../../components/actions/use-page-action.tsx';
import { SearchField } from '../../components/filter-bar/search-field.tsx';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Card, Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import { Columns } from './columns/columns.tsx';
import { EnvironmentCards } from './environment-cards.tsx';
import { type ProjectAnswer, useProject } from './use-project.ts';

/** Among these one finds a service by eye. */
const fewServices = 12;

const route = getRouteApi('/$organization/p/$project');

/** Environments beside each other, services below each other: what runs where, how it is, and what is under way. */
export function ProjectOverview() {
  return <Loaded query={useProject()}>{(project) => <Matrix project={project} />}</Loaded>;
}

function Matrix({ project }: { project: ProjectAnswer }) {
  const { trpc } = usePlane();
  const { id } = project;
  const params = route.useParams();
  const path = { id };
  const environments = useList(trpc.environments.list, { path });
  const { button, dialog } = usePageAction(
    'add',
    formAction({
      label: 'New environment',
      operation: trpc.environments.create,
      path,
      start: { production: false },
      fields: {
        name: { placeholder: 'Preview' },
        production: { hint: 'Its changes wait for an approval.' },
      },
      submit: 'Create environment',
      succeeded: ({ name }) => `${name} created`,
    }),
  );
  const shown = inPromotionOrder(environments.items ?? []);
  const first = shown.find(({ production }) => !production) ?? shown[0];
  const services = useList(trpc.services.list, { path });
  const [find, setFind] = useState('');
  const mayAdd = useMay('deployer');
  const newService = first !== undefined && mayAdd && (
    <ButtonLink
      to="/$organization/p/$project/e/$environment"
      params={{ ...params, environment: first.slug }}
      search={{ add: true }}
    >
      New service in {first.name}
    </ButtonLink>
  );
  return (
    <>
      <Section title="Environments" actions={button} bare>
        <EnvironmentCards environments={shown} />
      </Section>
      <Section
        title="Services"
        actions={
          (services.items?.length ?? 0) > 0 && (
            <div className="flex flex-wrap items-center gap-2">
              {(services.items?.length ?? 0) > fewServices && (
                <SearchField label="Find a service" placeholder="Find…" value={find} onChange={setFind} />
              )}
              {newService}
            </div>
          )
        }
        bare
      >
        <Card>
          <Columns
            services={services}
            find={find}
            environments={shown}
            empty={
              <EmptyState icon={<ContainerIcon />} title="No services yet" action={newService}>
                A service runs an image in one environment or in several.
              </EmptyState>
            }
          />
        </Card>
      </Section>
      {dialog}
    </>
  );
}
