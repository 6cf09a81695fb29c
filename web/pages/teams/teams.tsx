import { PeopleIcon } from '@primer/octicons-react';
import { DeleteOperation } from '../../components/dialogs/delete-operation.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { MenuItem } from '../../components/dialogs/menu.tsx';
import { useAddressDialog } from '../../components/dialogs/use-address-dialog.ts';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { timeColumn } from '../../components/table/time-column.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay } from '../../control-plane/session.ts';
import type { Team } from './team.ts';
import { TeamMembers } from './team-members.tsx';

/** Groups of members, by which projects are owned. */
export function Teams() {
  const { trpc } = usePlane();
  const mayChange = useMay('admin');
  const doing = useDialog<{ team: Team; what: 'rename' | 'members' | 'delete' }>();
  const teams = usePages(trpc.teams.list);
  const making = useAddressDialog('make');
  const { about, open, key, show, close } = doing;
  const makeButton = (
    <Button look="strong" onClick={making.show}>
      Create a team
    </Button>
  );

  return (
    <Page
      title="Teams"
      about="Groups of members. A team can own projects."
      actions={mayChange && teams.items?.length !== 0 && makeButton}
    >
      <Card>
        <Table
          label="Teams"
          pages={teams}
          name={({ name }) => name}
          columns={columns}
          menu={(team) =>
            mayChange &&
            !team.scimManaged && (
              <>
                <MenuItem onSelect={() => show({ team, what: 'members' })}>Change members</MenuItem>
                <MenuItem onSelect={() => show({ team, what: 'rename' })}>Rename</MenuItem>
                <MenuItem danger onSelect={() => show({ team, what: 'delete' })}>
                  Delete
                </MenuItem>
              </>
            )
          }
          empty={
            <EmptyState icon={<PeopleIcon />} title="No teams yet" action={mayChange && makeButton}>
              A team is a group of members that owns projects together.
            </EmptyState>
          }
        />
      </Card>
      <FormDialog
        operation={trpc.teams.create}
        fields={{ name: {} }}
        title="Create a team"
        submit="Create team"
        succeeded="Team created"
        open={mayChange && making.open}
        onClose={making.close}
      />
      {about?.what === 'rename' && (
        <FormDialog
          key={key}
          operation={trpc.teams.rename}
          path={{ id: about.team.id }}
          current={about.team}
          fields={{ name: {} }}
          title={`Rename ${about.team.name}`}
          submit="Rename"
          succeeded="Team renamed"
          open={open}
          onClose={close}
        />
      )}
      {about?.what === 'members' && (
        <Dialog key={key} open={open} onClose={close} title={`Members of ${about.team.name}`}>
          <TeamMembers team={about.team} onClose={close} />
        </Dialog>
      )}
      {about?.what === 'delete' && (
        <DeleteOperation
          key={key}
          operation={trpc.teams.delete}
          thing={about.team}
          verb="Delete"
          noun="team"
          affected={[{ what: lost(about.team.members.length), names: about.team.members.map(({ name }) => name) }]}
          open={open}
          onClose={close}
        >
          The team is removed; its members stay in the organization. This cannot be undone.
        </DeleteOperation>
      )}
    </Page>
  );
}

const columns: Column<Team>[] = [
  {
    label: 'Name',
    cell: ({ name, scimManaged }) => (
      <span className="flex flex-wrap items-center gap-x-2 font-medium">
        {name}
        {scimManaged && <Badge>from the identity provider</Badge>}
      </span>
    ),
    sort: ({ name }) => name,
    width: 'minmax(0, 1fr)',
  },
  { label: 'Members', cell: memberNames, sort: ({ members }) => members.length, width: 'minmax(0, 2fr)' },
  timeColumn('Created', ({ createdAt }) => createdAt),
];

const namesShown = 6;

function memberNames({ members }: Team): string {
  if (members.length === 0) return 'No members yet';
  const names = members.slice(0, namesShown).map(({ name }) => name);
  const more = members.length - names.length;
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;
}

function lost(members: number): string {
  return members === 1 ? '1 member loses the team' : `${members} members lose the team`;
}
