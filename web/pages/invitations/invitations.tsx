import { MailIcon } from '@primer/octicons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Confirm } from '../../components/dialogs/confirm.tsx';
import { Menu, MenuItem } from '../../components/dialogs/menu.tsx';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { Checkbox } from '../../components/forms/form.tsx';
import { roleWords } from '../../components/forms/roles.tsx';
import { Card } from '../../components/page.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { EmptyState, LoadedPages } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { Time, useNow } from '../../components/time.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import type { Invitation } from './invitation.ts';
import { NewLink } from './new-link.tsx';

const route = getRouteApi('/$organization/members');

/** Open invitations; on demand the accepted ones, too. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const { trpc } = usePlane();
  const organization = useMembership();
  const { accepted } = route.useSearch();
  const navigate = useNavigate({ from: '/$organization/members' });
  const renewing = useDialog<Invitation>();
  const revoking = useDialog<Invitation>();
  const invitations = usePages(trpc.invitations.list, { path: { id: organization.id }, query: { limit: 100 } });
  const showAccepted = (show: boolean) =>
    void navigate({ search: { show: 'invitations', ...(show ? { accepted: true } : {}) }, replace: true });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex h-8.5 items-center">
        <Checkbox label="Show accepted ones too" checked={accepted === true} onChange={showAccepted} />
      </div>
      <Card>
        <LoadedPages pages={invitations} empty={<NobodyInvited onInvite={onInvite} />}>
          {(items) => {
            const shown = items.filter(({ acceptedAt }) => accepted === true || acceptedAt === undefined);
            if (shown.length === 0) return <NobodyInvited onInvite={onInvite} />;
            return (
              <Rows label="Invitations">
                {shown.map((invitation) => (
                  <InvitationRow
                    key={invitation.id}
                    invitation={invitation}
                    onRenew={() => renewing.show(invitation)}
                    onRevoke={() => revoking.show(invitation)}
                  />
                ))}
              </Rows>
            );
          }}
        </LoadedPages>
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

function NobodyInvited({ onInvite }: { onInvite: () => void }) {
  return (
    <EmptyState
      icon={<MailIcon />}
      title="No open invitations"
      action={<Button onClick={onInvite}>Invite somebody</Button>}
    >
      You send the link of an invitation yourself; it is listed here until it is accepted.
    </EmptyState>
  );
}

function InvitationRow({
  invitation,
  onRenew,
  onRevoke,
}: {
  invitation: Invitation;
  onRenew: () => void;
  onRevoke: () => void;
}) {
  const { email, role, createdAt, acceptedAt, expiresAt } = invitation;
  const expired = Date.parse(expiresAt) <= useNow();
  const mayRenew = useMay(role === 'owner' ? 'owner' : 'admin');
  return (
    <Row
      title={email}
      detail={
        <>
          invited <Time at={createdAt} /> as {roleWords[role].name.toLowerCase()}
        </>
      }
      facts={
        <span className="sm:w-44">
          <Status tone={acceptedAt !== undefined ? 'good' : expired ? 'attention' : 'neutral'}>
            <span>
              {acceptedAt !== undefined ? 'Accepted' : expired ? 'Expired' : 'Open, expires'}{' '}
              <Time at={acceptedAt ?? expiresAt} />
            </span>
          </Status>
        </span>
      }
      actions={
        acceptedAt === undefined ? (
          <Menu label={`Actions for the invitation of ${email}`}>
            {mayRenew && <MenuItem onSelect={onRenew}>Create a new link</MenuItem>}
            <MenuItem danger onSelect={onRevoke}>
              Revoke
            </MenuItem>
          </Menu>
        ) : (
          <span className="w-8" />
        )
      }
    />
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
    <Confirm
      open={open}
      onClose={onClose}
      title={`Revoke the invitation for ${invitation.email}?`}
      confirm="Revoke invitation"
      change={revoke}
      onConfirm={() => revoke.send(undefined)}
    >
      Its link stops working.
    </Confirm>
  );
}
