import { MailIcon } from '@primer/octicons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { mayActAs } from '../../../domain/roles.ts';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { MenuItem } from '../../components/dialogs/menu.tsx';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import { Button } from '../../components/forms/button.tsx';
import { roleWords } from '../../components/forms/roles.tsx';
import { Card } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { timeColumn } from '../../components/table/time-column.tsx';
import { useNow } from '../../components/times/now.ts';
import { Time } from '../../components/times/time.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import type { Invitation } from './invitation.ts';
import { NewLink } from './new-link.tsx';

const route = getRouteApi('/$organization/members');

/** Open invitations; on demand the accepted ones, too. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const { trpc } = usePlane();
  const organization = useMembership();
  const search = route.useSearch();
  const { accepted } = search;
  const navigate = useNavigate({ from: '/$organization/members' });
  const renewing = useDialog<Invitation>();
  const revoking = useDialog<Invitation>();
  const invitations = usePages(trpc.invitations.list, { path: { id: organization.id }, query: { limit: 100 } });
  const shows = useCallback(({ acceptedAt }: Invitation) => accepted === true || acceptedAt === undefined, [accepted]);
  const nobody = (
    <EmptyState
      icon={<MailIcon />}
      title="No open invitations"
      action={<Button onClick={onInvite}>Invite somebody</Button>}
    >
      You send the link of an invitation yourself; it is listed here until it is accepted.
    </EmptyState>
  );
  return (
    <div className="flex flex-col gap-3">
      <FilterBar
        values={search}
        onChange={(next) => void navigate({ search: next, replace: true })}
        filters={[{ name: 'accepted', label: 'Accepted ones too' }]}
      />
      <Card>
        <Table
          label="Invitations"
          pages={invitations}
          columns={columns}
          name={({ email }) => `the invitation of ${email}`}
          shows={shows}
          menu={(invitation) =>
            invitation.acceptedAt === undefined && (
              <>
                {mayActAs(organization.role, invitation.role === 'owner' ? 'owner' : 'admin') && (
                  <MenuItem onSelect={() => renewing.show(invitation)}>Create a new link</MenuItem>
                )}
                <MenuItem danger onSelect={() => revoking.show(invitation)}>
                  Revoke
                </MenuItem>
              </>
            )
          }
          empty={nobody}
          none={nobody}
        />
      </Card>
      {renewing.about !== undefined && (
        <NewLink key={renewing.key} invitation={renewing.about} open={renewing.open} onClose={renewing.close} />
      )}
      {revoking.about !== undefined && (
        <Revoke key={revoking.key} invitation={revoking.about} open={revoking.open} onClose={revoking.close} />
      )}
    </div>
  );
}

const columns: Column<Invitation>[] = [
  { label: 'E-mail', cell: ({ email }) => <span className="font-medium">{email}</span>, sort: ({ email }) => email },
  { label: 'Role', cell: ({ role }) => roleWords[role].name, sort: ({ role }) => role, width: '6rem' },
  timeColumn('Invited', ({ createdAt }) => createdAt),
  {
    label: 'State',
    cell: (invitation) => <State invitation={invitation} />,
    sort: ({ acceptedAt, expiresAt }) => acceptedAt ?? expiresAt,
    width: '14rem',
  },
];

function State({ invitation: { acceptedAt, expiresAt } }: { invitation: Invitation }) {
  const expired = Date.parse(expiresAt) <= useNow();
  return (
    <Status tone={acceptedAt !== undefined ? 'good' : expired ? 'attention' : 'neutral'}>
      <span>
        {acceptedAt !== undefined ? 'Accepted' : expired ? 'Expired' : 'Open, expires'}{' '}
        <Time at={acceptedAt ?? expiresAt} />
      </span>
    </Status>
  );
}

function Revoke({ invitation, open, onClose }: { invitation: Invitation; open: boolean; onClose: () => void }) {
  const { client, trpc } = usePlane();
  const revoke = useChange(
    (_: undefined, sent) => client.invitations.revoke.mutate({ path: { id: invitation.id } }, sent),
    {
      failed: 'The invitation could not be revoked',
      succeeded: `Invitation of ${invitation.email} revoked`,
      quiet: true,
      done: onClose,
      touches: () => [trpc.invitations.pathKey()],
    },
  );
  return (
    <DeleteDialog
      open={open}
      onClose={onClose}
      title={`Revoke the invitation for ${invitation.email}?`}
      confirm="Revoke invitation"
      change={revoke}
      onConfirm={() => revoke.send(undefined)}
    >
      Its link stops working.
    </DeleteDialog>
  );
}
