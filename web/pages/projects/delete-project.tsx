import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { numbered } from '../../components/dialogs/affected-list.tsx';
import { Setting, Settings } from '../../components/forms/setting.tsx';
import { Section } from '../../components/page.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';
import { endedWith, Impact, type Impacts } from '../deletions/impact.tsx';
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
        <Setting title="Delete" about="Stops all that runs in it. It can be restored until it is purged.">
          <OneAction action={action} small />
        </Setting>
      </Settings>
    </Section>
  );
}

function Consequences({ id }: { id: string }) {
  const { trpc } = usePlane();
  return (
    <Impact options={trpc.projects.deletionImpact.queryOptions({ path: { id } })} lines={linesOf}>
      {() => (
        <p>
          All that runs in it stops at once. Its environments with their settings, variables, releases and volumes are
          kept, and can be restored from Deleted until they are purged.
        </p>
      )}
    </Impact>
  );
}

function linesOf({ environments, services, databases, ...impact }: Answers['projects']['deletionImpact']): Impacts {
  return [
    { what: numbered('environment', 'environments'), names: environments.map(({ name }) => name) },
    { what: numbered('service stops', 'services stop'), count: services + databases },
    ...endedWith(impact),
  ];
}
