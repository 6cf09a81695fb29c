import { MailIcon } from '@primer/octicons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { mayActAs } from '../../../domain/roles.ts';
import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { FilterBar, useAddressFilters } from '../../components/filter-bar/filter-bar.tsx';
import { roleWords } from '../../components/forms/roles.tsx';
import { Card } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { timeColumn } from '../../components/table/usual-columns.tsx';
import { useNow } from '../../components/times/now.ts';
import { Time } from '../../components/times/time.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMembership } from '../../control-plane/session.ts';
import { useListed } from '../../control-plane/sought.ts';
import { linkOnce } from './invitation-link.tsx';

type Invitation = Answers['invitations']['list']['items'][number];

const route = getRouteApi('/$organization/members');

/** Open invitations; on demand the accepted ones, too. */
export function Invitations({ inviteButton }: { inviteButton: ReactNode }) {
  const { trpc } = usePlane();
  const organization = useMembership();
  const { accepted } = route.useSearch();
  const shows = useCallback(({ acceptedAt }: Invitation) => accepted === true || acceptedAt === undefined, [accepted]);
  const options = { path: { id: organization.id }, query: { limit: 100 } };
  const invitations = useListed(trpc.invitations.list, options, texts);
  const renew = ({ id, email }: Invitation) =>
    formAction({
      label: 'Create a new link',
      operation: trpc.invitations.resend,
      path: { id },
      fields: {},
      title: `New link for ${email}?`,
      succeeded: 'New link created',
      children: (
        <p className="text-pretty text-soft text-sm">
          The previous link stops working, and the time to accept starts again.
        </p>
      ),
      after: linkOnce,
    });
  const revoke = ({ id, email }: Invitation) =>
    deleteAction({
      verb: 'Revoke',
      noun: 'invitation',
      name: `the invitation of ${email}`,
      operation: trpc.invitations.revoke,
      path: { id },
      consequences: 'Its link stops working.',
    });
  const actions = (invitation: Invitation) => {
    if (invitation.acceptedAt !== undefined) return [];
    const mayRenew = mayActAs(organization.role, invitation.role === 'owner' ? 'owner' : 'admin');
    return mayRenew ? [renew(invitation), revoke(invitation)] : [revoke(invitation)];
  };
  const nobody = (
    <EmptyState icon={<MailIcon />} title="No open invitations" action={inviteButton}>
      You send the link of an invitation yourself; it is listed here until it is accepted.
    </EmptyState>
  );
  return (
    <div className="flex flex-col gap-3">
      <FilterBar
        {...useAddressFilters()}
        search={{ label: 'Search invitations', placeholder: 'Search by e-mail' }}
        filters={[{ name: 'accepted', label: 'Accepted ones too' }]}
      />
      <Card>
        <Table
          label="Invitations"
          pages={invitations}
          columns={columns}
          name={({ email }) => `the invitation of ${email}`}
          shows={shows}
          actions={actions}
          empty={nobody}
          none={invitations.narrowed === undefined ? nobody : undefined}
        />
      </Card>
    </div>
  );
}

const texts = ({ email }: Invitation) => [email];

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
