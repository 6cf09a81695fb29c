import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { AffectedList } from '../../components/dialogs/affected-list.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { EnvironmentAnswer } from './use-environment.ts';

/** The end of an environment, with what goes with it. */
export function DeleteEnvironment({ environment: { id, name } }: { environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const { organization = '', project = '' } = useParams({ strict: false });
  const action = deleteAction({
    role: 'admin',
    noun: 'environment',
    name,
    operation: trpc.environments.delete,
    path: { id },
    typed: name,
    elsewhere: true,
    done: () => navigate({ to: '/$organization/p/$project', params: { organization, project } }),
    touches: [trpc.deletions.pathKey(), trpc.services.pathKey(), trpc.approvals.pathKey()],
    consequences: <Consequences id={id} />,
  });
  return (
    <Setting title="Delete" about="Stops all that runs there. It can be restored until its retention has passed.">
      <OneAction action={action} small />
    </Setting>
  );
}

function Consequences({ id }: { id: string }) {
  const { trpc } = usePlane();
  const { data: impact } = useQuery(trpc.environments.deletionImpact.queryOptions({ path: { id } }));
  const count = (one: string, several: string) => (n: number) => (n === 1 ? `1 ${one}` : `${n} ${several}`);
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  return (
    <div className="grid gap-4">
      <p>
        Its services stop, its staged changes are discarded, deployments under way are cancelled, and approvals are
        closed. Settings, variables, releases and volumes are kept until it is purged.
        {impact?.lastEnvironment === true && ' It is the last environment of its project.'}
      </p>
      {impact !== undefined && (
        <AffectedList
          affected={[
            { what: count('service stops', 'services stop'), names: names([...impact.services, ...impact.databases]) },
            {
              what: count(
                'service is discarded for good: it was never applied',
                'services are discarded for good: they were never applied',
              ),
              names: names(impact.stagedServices),
            },
          ]}
        />
      )}
    </div>
  );
}
