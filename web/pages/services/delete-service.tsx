import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { AffectedList } from '../../components/dialogs/affected-list.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { Placed } from './use-service.ts';

/** The end of a service in all environments, with what goes with it. */
export function DeleteService({ service }: Placed) {
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const { organization = '', project = '', environment = '' } = useParams({ strict: false });
  const params = { organization, project, environment };
  const path = { id: service.id };
  const { data: impact } = useQuery(trpc.services.deletionImpact.queryOptions({ path }));
  const action = deleteAction({
    role: impact?.role ?? 'deployer',
    noun: 'service',
    name: service.name,
    operation: trpc.services.delete,
    path,
    typed: service.slug,
    elsewhere: true,
    done: () => navigate({ to: '/$organization/p/$project/e/$environment', params }),
    touches: [trpc.environments.pathKey(), trpc.changeSets.pathKey(), trpc.approvals.pathKey()],
    consequences: <Consequences id={service.id} />,
  });
  return (
    <Setting title="Delete" about="Ends it in all environments at once.">
      <OneAction action={action} small />
    </Setting>
  );
}

function Consequences({ id }: { id: string }) {
  const { trpc } = usePlane();
  const { data: impact } = useQuery(trpc.services.deletionImpact.queryOptions({ path: { id } }));
  const count = (one: string, several: string) => (n: number) => (n === 1 ? `1 ${one}` : `${n} ${several}`);
  return (
    <div className="grid gap-4">
      <p>
        Its instances end, its addresses stop to answer, and its staged changes are dropped. Deployments under way are
        cancelled.
      </p>
      {impact !== undefined && (
        <AffectedList
          affected={[
            {
              what: 'They depend on it: it cannot be deleted before',
              names: impact.dependents.map(({ name }) => name),
            },
            {
              what: 'Values that refer to it, to be changed before',
              names: impact.references.map(
                ({ variable, refersTo, environmentName }) => `${variable} to ${refersTo} in ${environmentName}`,
              ),
            },
            {
              what: 'Approvals of it and others, to be decided before',
              names: impact.heldWith.map(({ environmentName }) => environmentName),
            },
            {
              what: count('environment loses it', 'environments lose it'),
              names: impact.environments.map(({ name }) => name),
            },
            {
              what: count('deployment is cancelled', 'deployments are cancelled'),
              names: impact.deployments.map(({ environmentName }) => environmentName),
            },
            {
              what: count('approval is closed', 'approvals are closed'),
              names: impact.approvals.map(({ environmentName }) => environmentName),
            },
          ]}
        />
      )}
    </div>
  );
}
