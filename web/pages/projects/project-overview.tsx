import { ContainerIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { inPromotionOrder } from '../../../domain/environments/environments.ts';
import { formAction } from '../../components/actions/form-action.tsx';
import { usePageAction } from '../../components/actions/use-page-action.tsx';
import { SearchField } from '../../components/filter-bar/search-field.tsx';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Card, Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { Badge, Status } from '../../components/status.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import type { EnvironmentAnswer } from '../environments/use-environment.ts';
import { useOverview } from '../environments/use-overview.ts';
import { counted } from '../instances/counted.ts';
import { urgencyOf } from '../services/words/service-words.ts';
import { Columns } from './columns/columns.tsx';
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

/** The environments of a project: how each is, and how much is staged in it. */
function EnvironmentCards({ environments }: { environments: readonly EnvironmentAnswer[] }) {
  return (
    <ul aria-label="Environments" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      {environments.map((environment) => (
        <EnvironmentCard key={environment.id} environment={environment} />
      ))}
    </ul>
  );
}

function EnvironmentCard({ environment: { id, name, slug, production } }: { environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const params = route.useParams();
  const staged = useQuery(trpc.changeSets.draft.queryOptions({ path: { id } })).data?.items.length ?? 0;
  return (
    <li className="relative flex flex-col gap-1.5 rounded-xl border border-line bg-card px-4 py-3 shadow-card hover:bg-hover/60">
      <span className="flex items-center gap-2">
        <Link
          to="/$organization/p/$project/e/$environment"
          params={{ ...params, environment: slug }}
          className="rounded-sm font-medium after:absolute after:inset-0"
        >
          {name}
        </Link>
        {production && <Badge tone="attention">production</Badge>}
      </span>
      <EnvironmentHealth id={id} />
      {staged > 0 && <Status tone="live">{counted(staged, 'staged change')}</Status>}
    </li>
  );
}

/** How the services of an environment are, in a few words: the worst first. */
function EnvironmentHealth({ id }: { id: string }) {
  const services = useOverview(id).data;
  if (services === undefined) return null;
  const count = (...healths: string[]) => services.filter(({ health }) => healths.includes(health)).length;
  const [worst] = services.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));
  if (worst === undefined) return <Status tone="neutral">No services yet</Status>;
  const pending = services.filter(({ pendingDeployment }) => pendingDeployment !== undefined);
  const held = pending.filter(({ blocker }) => blocker === 'approval').length;
  const under = pending.length - held;
  if (count('down') > 0)
    return (
      <Status tone="fault">
        {count('down')} of {services.length} down
      </Status>
    );
  if (count('degraded') > 0) return <Status tone="attention">{counted(count('degraded'), 'degraded service')}</Status>;
  if (under > 0) return <Status tone="live">{counted(under, 'deployment')} under way</Status>;
  if (held > 0) return <Status tone="attention">{counted(held, 'deployment')} held</Status>;
  if (count('unknown') > 0) return <Status tone="neutral">Unknown</Status>;
  if (count('healthy') === 0) return <Status tone="neutral">Nothing deployed yet</Status>;
  return <Status tone="good">{counted(count('healthy'), 'healthy service')}</Status>;
}
