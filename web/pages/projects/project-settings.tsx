import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { OneAction } from '../../components/actions/one-action.tsx';
import { numbered } from '../../components/dialogs/affected-list.tsx';
import { Select } from '../../components/forms/form.tsx';
import { Setting, Settings } from '../../components/forms/setting.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay, useMembership } from '../../control-plane/session.ts';
import { endedWith, Impact, type Impacts } from '../deletions/impact.tsx';
import { type ProjectAnswer, useProject } from './use-project.ts';

/** What a project is called, whose it is, how much of it rolls out at once, and its end. */
export function ProjectSettings() {
  return <Loaded query={useProject()}>{(project) => <AllSettings project={project} />}</Loaded>;
}

function AllSettings({ project }: { project: ProjectAnswer }) {
  const { trpc } = usePlane();
  const { id, name, slug, description, deployConcurrency } = project;
  const change = { operation: trpc.projects.change, path: { id } } as const;
  const rename = formAction({
    ...change,
    label: 'Rename',
    title: `Rename ${name}`,
    current: { name },
    fields: { name: {} },
    succeeded: 'Project renamed',
  });
  const describe = formAction({
    ...change,
    label: 'Describe',
    title: `Describe ${name}`,
    current: { description },
    fields: { description: { hint: 'What it is, in a few sentences.' } },
    succeeded: 'Description changed',
  });
  const concurrency = formAction({
    ...change,
    label: 'Change limit',
    title: `Deployments of ${name} at once`,
    current: { deployConcurrency },
    fields: { deployConcurrency: { label: 'Deployments at once' } },
    succeeded: 'Limit changed',
  });
  return (
    <Section title="Project">
      <Settings>
        <Setting title="Name" about={`Its short name stays ${slug}.`}>
          {name}
          <OneAction action={rename} small />
        </Setting>
        <Setting title="Description" about="Beneath its name, and in the list of projects.">
          <span className="min-w-0 break-words">{description || 'None'}</span>
          <OneAction action={describe} small />
        </Setting>
        <Owner project={project} />
        <Setting title="Deployments at once" about="Further ones wait in its queue.">
          {deployConcurrency}
          <OneAction action={concurrency} small />
        </Setting>
        <DeleteProject project={project} />
      </Settings>
    </Section>
  );
}

/** A member or a team, in one list. */
function Owner({ project: { id, name, owner, team } }: { project: ProjectAnswer }) {
  const { client, trpc } = usePlane();
  const { id: organizationId } = useMembership();
  const mayChange = useMay('admin');
  const members = useQuery(
    trpc.members.list.queryOptions({ path: { id: organizationId }, query: { limit: 200 } }, { enabled: mayChange }),
  ).data?.items;
  const teams = useQuery(trpc.teams.list.queryOptions({ query: { limit: 200 } }, { enabled: mayChange })).data?.items;
  const change = useChange(
    (to: { ownerId: string } | { teamId: string }, sent) =>
      client.projects.change.mutate({ path: { id }, body: to }, sent),
    {
      failed: 'The owner could not be changed',
      succeeded: (changed) => `${name} is owned by ${changed.owner?.name ?? changed.team?.name}`,
      touches: () => [trpc.projects.pathKey()],
    },
  );
  return (
    <Setting title="Owner" about="The member or the team that looks after it.">
      {mayChange && members !== undefined && teams !== undefined ? (
        <div className="w-52 max-w-full">
          <Select
            label="Owner"
            value={owner === undefined ? `team ${team?.id}` : `member ${owner.id}`}
            onChange={(to) => {
              const [kind, whose = ''] = to.split(' ');
              change.send(kind === 'team' ? { teamId: whose } : { ownerId: whose });
            }}
            choices={[
              // Among many members the owner may not be on the first page.
              ...(owner === undefined || members.some(({ userId }) => userId === owner.id)
                ? []
                : [{ value: `member ${owner.id}`, label: owner.name, group: 'Members' }]),
              ...members.map((one) => ({ value: `member ${one.userId}`, label: one.name, group: 'Members' })),
              ...teams.map((one) => ({ value: `team ${one.id}`, label: one.name, group: 'Teams' })),
            ]}
          />
        </div>
      ) : (
        (owner?.name ?? team?.name)
      )}
    </Setting>
  );
}

function DeleteProject({ project: { id, name } }: { project: ProjectAnswer }) {
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
    <Setting title="Delete" about="Stops all that runs in it. It can be restored until it is purged.">
      <OneAction action={action} small />
    </Setting>
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
