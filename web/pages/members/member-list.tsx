import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Avatar } from '../../components/avatar.tsx';
import { FilterBar, useAddressFilters } from '../../components/filter-bar/filter-bar.tsx';
import { roleChoices } from '../../components/forms/roles.tsx';
import { Card } from '../../components/page.tsx';
import { Badge } from '../../components/status.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { timeColumn } from '../../components/table/usual-columns.tsx';
import { type Pages, useWhole } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership, useSession } from '../../control-plane/session.ts';
import { useSought } from '../../control-plane/sought.ts';
import { ChangeRole } from './change-role.tsx';
import { type Member, memberTexts, useMemberActions } from './member-actions.ts';

const route = getRouteApi('/$organization/members');

export function MemberList() {
  const { trpc } = usePlane();
  const own = useMembership();
  const actions = useMemberActions();
  const { q = '', role, mfa } = route.useSearch();
  const options = { path: { id: own.id }, query: { limit: 200 }, id: ({ userId }: Member) => userId };
  const members = useSought(trpc.members.list, options, { sought: q, texts: memberTexts });
  const filtered = role !== undefined || mfa !== undefined;
  useWhole(members, filtered);
  const shows = useCallback(
    (member: Member) =>
      (role === undefined || member.role === role) && (mfa === undefined || member.mfa === (mfa === 'on')),
    [role, mfa],
  );
  return (
    <div className="flex flex-col gap-3">
      <FilterBar
        {...useAddressFilters()}
        search={{ label: 'Search members', placeholder: 'Search by name, e-mail or team' }}
        filters={[
          { name: 'role', label: 'Role', choices: roleChoices('owner') },
          { name: 'mfa', label: 'Second factor', choices: factorChoices },
        ]}
        count={members.items !== undefined && countOf(members, members.items.filter(shows).length, filtered)}
      />
      <Card>
        <Table label="Members" pages={members} columns={columns} shows={shows} actions={actions} empty={null} />
      </Card>
    </div>
  );
}

function countOf({ items = [], whole, narrowed }: Pages<Member>, shown: number, filtered: boolean): string {
  const more = whole ? '' : '+';
  const all = narrowed === undefined ? items.length : narrowed.of;
  if (all === undefined) return `${shown}${more} found`;
  const members = `${all}${more} ${all === 1 ? 'member' : 'members'}`;
  return filtered || narrowed !== undefined ? `${shown} of ${members}` : members;
}

const factorChoices = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
];

const columns: Column<Member>[] = [
  {
    label: 'Name',
    cell: (member) => <Person member={member} />,
    sort: ({ name }) => name,
    width: 'minmax(13rem, 2fr)',
  },
  {
    label: 'Teams',
    cell: ({ teams }) => teams.map(({ name }) => name).join(', '),
    sort: ({ teams }) => teams[0]?.name,
  },
  { label: 'Role', cell: (member) => <ChangeRole member={member} />, sort: ({ role }) => role, width: '7rem' },
  {
    label: 'Second factor',
    cell: ({ mfa }) => (mfa ? 'On' : <span className="text-attention">Off</span>),
    sort: ({ mfa }) => Number(mfa),
    width: '7rem',
    phone: 'labelled',
  },
  timeColumn('Active', ({ lastActiveAt }) => lastActiveAt),
];

function Person({ member: { userId, name, email } }: { member: Member }) {
  const isSelf = useSession()?.user.id === userId;
  return (
    <span className="flex items-center gap-3">
      <Avatar name={name} large />
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 font-medium">
          {name}
          {isSelf && <Badge>you</Badge>}
        </span>
        <span className="block break-words text-soft text-sm">{email}</span>
      </span>
    </span>
  );
}
