import { type ReactNode, useState } from 'react';
import type { Action } from '../../components/actions/action.ts';
import { OrganizationMark } from '../../components/avatar.tsx';
import { ButtonLink } from '../../components/forms/button.tsx';
import { roleWords } from '../../components/forms/roles.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table/column.ts';
import { Table } from '../../components/table/table.tsx';
import { wholeList } from '../../control-plane/pages.ts';
import { createPlane, PlaneContext, personPlane } from '../../control-plane/plane.ts';
import { type OwnMembership, sessionQuery } from '../../control-plane/session.ts';
import { leaveAction } from '../members/member-actions.ts';

/** Organizations of the person, the role in each, and leaving. */
export function OwnOrganizations({ organizations }: { organizations: OwnMembership[] }) {
  const newOne = (
    <ButtonLink to="/new-organization" small>
      New organization
    </ButtonLink>
  );
  return (
    <Section
      title="Organizations"
      actions={
        <div className="flex gap-2">
          <ButtonLink to="/deleted-organizations" look="quiet" small>
            Deleted organizations
          </ButtonLink>
          {newOne}
        </div>
      }
    >
      <Table
        label="Organizations"
        pages={wholeList(organizations, ({ id }) => id)}
        columns={columns}
        link={({ slug }) => ({ to: '/$organization', params: { organization: slug } })}
        actions={(organization) => [leave(organization)]}
        empty={
          <EmptyState title="You belong to no organization" action={newOne}>
            Create one, or ask to be invited to an existing one.
          </EmptyState>
        }
      />
    </Section>
  );
}

const columns: Column<OwnMembership>[] = [
  {
    label: 'Name',
    cell: ({ name }) => (
      <span className="flex items-center gap-3 font-medium">
        <OrganizationMark name={name} />
        {name}
      </span>
    ),
    sort: ({ name }) => name,
  },
  { label: 'Role', cell: ({ role }) => roleWords[role].name, sort: ({ role }) => role },
];

function leave(organization: OwnMembership): Action {
  const action = leaveAction(personPlane.trpc, organization, {
    label: 'Leave',
    done: () => personPlane.queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  return { ...action, dialog: (shown) => <Within id={organization.id}>{action.dialog(shown)}</Within> };
}

/** Content that belongs to an organization, on a page of the person. */
function Within({ id, children }: { id: string; children: ReactNode }) {
  const [plane] = useState(() => createPlane(id));
  return <PlaneContext value={plane}>{children}</PlaneContext>;
}
