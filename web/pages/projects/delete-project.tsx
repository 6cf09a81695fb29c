import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { AffectedList } from '../../components/dialogs/affected-list.tsx';
import { Setting, Settings } from '../../components/forms/setting.tsx';
import { Section } from '../../components/page.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { ProjectAnswer } from './use-project.ts';

/** The end of a project, with what goes with it. */
export function DeleteProject({ project: { id, name } }: { project: ProjectAnswer }) {
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const { organization = '' } = useParams({ strict: false });
  const action = deleteAction({
    role: 'admin',
    noun: 'project',
    name,
    operation: trpc.projects.delete,
    path: { id },
    typed: name,
    elsewhere: true,
    done: () => navigate({ to: '/$organization/p', params: { organization } }),
    touches: [trpc.deletions.pathKey(), trpc.environments.pathKey(), trpc.services.pathKey()],
    consequences: <Consequences id={id} />,
  });
  return (
    <Section title="Project">
      <Settings>
        <Setting title="Delete" about="Stops all that runs in it. It can be restored until its retention has passed.">
          <OneAction action={action} small />
        </Setting>
      </Settings>
    </Section>
  );
}

function Consequences({ id }: { id: string }) {
  const { trpc } = usePlane();
  const { data: impact } = useQuery(trpc.projects.deletionImpact.queryOptions({ path: { id } }));
  const services = impact === undefined ? 0 : impact.services + impact.databases;
  return (
    <div className="grid gap-4">
      <p>
        Its services stop, staged changes are discarded, deployments under way are cancelled, and approvals are closed.
        Settings, variables, releases and volumes are kept until it is purged.
      </p>
      {impact !== undefined && (
        <AffectedList
          affected={[
            {
              what: (n) =>
                `${n} ${n === 1 ? 'environment' : 'environments'} with ${services} ${services === 1 ? 'service' : 'services'}`,
              names: impact.environments.map(({ name }) => name),
            },
          ]}
        />
      )}
    </div>
  );
}
