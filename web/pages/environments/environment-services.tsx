import { ContainerIcon } from '@primer/octicons-react';
import { getRouteApi } from '@tanstack/react-router';
import { formAction } from '../../components/actions/form-action.tsx';
import { usePageAction } from '../../components/actions/use-page-action.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { Table } from '../../components/table/table.tsx';
import { wholeList } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { imageField } from '../services/image-field.tsx';
import { serviceColumns } from '../services/service-columns.tsx';
import { type EnvironmentAnswer, useEnvironment } from './use-environment.ts';
import { isAdded, useOverview } from './use-overview.ts';

const route = getRouteApi('/$organization/p/$project/e/$environment');

/** The services of an environment: how each is, and what is under way. */
export function EnvironmentServices() {
  return <Loaded query={useEnvironment()}>{(environment) => <Services environment={environment} />}</Loaded>;
}

function Services({ environment }: { environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const params = route.useParams();
  const { id, projectId, name } = environment;
  const overview = useOverview(id);
  const { button, dialog } = usePageAction(
    'add',
    formAction({
      role: 'deployer',
      label: 'New service',
      title: `New service in ${name}`,
      operation: trpc.services.create,
      path: { id: projectId },
      start: { environmentId: id },
      fields: { name: { placeholder: 'Web' }, source: imageField as never, environmentId: { control: () => null } },
      submit: 'Stage',
      succeeded: ({ service }) => `${service.name} staged`,
      touches: [trpc.changeSets.pathKey(), trpc.environments.pathKey()],
    }),
  );
  return (
    <Loaded query={overview}>
      {(services) => (
        <Section title="Services" actions={services.length > 0 && button}>
          <Table
            label="Services"
            pages={wholeList(services, ({ serviceId }) => serviceId)}
            columns={serviceColumns}
            name={({ serviceName }) => serviceName}
            link={(service) =>
              isAdded(service)
                ? {
                    to: '/$organization/p/$project/e/$environment/s/$service',
                    params: { ...params, service: service.serviceSlug },
                  }
                : undefined
            }
            empty={
              <EmptyState icon={<ContainerIcon />} title="No services yet" action={button}>
                A service runs an image: a web server, a worker, a key-value store.
              </EmptyState>
            }
          />
          {dialog}
        </Section>
      )}
    </Loaded>
  );
}
