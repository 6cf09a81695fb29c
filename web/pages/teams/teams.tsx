import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { Badge } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { ListPage } from '../../components/table/list-page.tsx';
import { nameColumn, namesColumn, timeColumn } from '../../components/table/usual-columns.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';
import { useListed } from '../../control-plane/sought.ts';
import { pickMembers } from '../members/member-picker.tsx';

type Team = Answers['teams']['list']['items'][number];

/** Groups of members, by which projects are owned. */
export function Teams() {
  const { trpc } = usePlane();
  const actions = ({ id, name, members }: Team) => [
    pickMembers({ as: 'members', of: name, chosen: members, operation: trpc.teams.changeMembers, path: { id } }),
    formAction({
      label: 'Rename',
      operation: trpc.teams.rename,
      path: { id },
      current: { name },
      fields: { name: {} },
      title: `Rename ${name}`,
      succeeded: 'Team renamed',
    }),
    deleteAction({
      noun: 'team',
      name,
      operation: trpc.teams.delete,
      path: { id },
      affected: [{ what: lost, names: members.map((member) => member.name) }],
      consequences: 'The team is removed; its members stay in the organization. This cannot be undone.',
    }),
  ];
  return (
    <ListPage
      about="Groups of members. A team can own projects."
      pages={useListed(trpc.teams.list)}
      columns={columns}
      actions={(team) => (team.scimManaged ? [] : actions(team))}
      make={formAction({
        label: 'Create a team',
        operation: trpc.teams.create,
        fields: { name: {} },
        submit: 'Create team',
        succeeded: 'Team created',
      })}
      empty={{ title: 'No teams yet', text: 'A team is a group of members that owns projects together.' }}
    />
  );
}

const columns: Column<Team>[] = [
  nameColumn(({ scimManaged }) => scimManaged && <Badge>from the identity provider</Badge>),
  namesColumn('Members', ({ members }) => members, 'No members yet'),
  timeColumn('Created', ({ createdAt }) => createdAt),
];

const lost = (members: number) => (members === 1 ? '1 member loses the team' : `${members} members lose the team`);
