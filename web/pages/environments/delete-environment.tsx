import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { numbered } from '../../components/dialogs/affected-list.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';
import { endedWith, Impact, type Impacts } from '../deletions/impact.tsx';
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
    <Setting title="Delete" about="Stops all that runs there. It can be restored until it is purged.">
      <OneAction action={action} small />
    </Setting>
  );
}

function Consequences({ id }: { id: string }) {
  const { trpc } = usePlane();
  return (
    <Impact options={trpc.environments.deletionImpact.queryOptions({ path: { id } })} lines={linesOf}>
      {(impact) => (
        <p>
          All that runs there stops at once. Its settings, variables, releases and volumes are kept, and can be restored
          from Deleted until they are purged.
          {impact?.lastEnvironment === true && ' It is the last environment of its project.'}
        </p>
      )}
    </Impact>
  );
}

function linesOf(impact: Answers['environments']['deletionImpact']): Impacts {
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  return [
    { what: numbered('service stops', 'services stop'), names: names([...impact.services, ...impact.databases]) },
    {
      what: numbered(
        'service is lost for good: it was never deployed',
        'services are lost for good: they were never deployed',
      ),
      names: names(impact.stagedServices),
    },
    ...endedWith(impact),
    {
      what: numbered('variable is kept until the purge', 'variables are kept until the purge'),
      count: impact.variables,
    },
  ];
}
