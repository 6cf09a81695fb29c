import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDialog } from '../../components/dialogs/use-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { TextField } from '../../components/forms/form.tsx';
import { Card, Page } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { LoadedPages } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { Invitations } from '../invitations/invitations.tsx';
import { Invite } from '../invitations/invite.tsx';
import type { Member } from './member.ts';
import { MemberRow } from './member-row.tsx';
import { isSought } from './member-search.ts';
import { RemoveMember } from './remove-member.tsx';

const route = getRouteApi('/$organization/members');

/** Members of the organization with their roles, and invitations. */
export function Members() {
  const mayInvite = useMay('admin');
  const { slug } = useMembership();
  const { show, invite } = route.useSearch();
  const navigate = useNavigate({ from: '/$organization/members' });
  const invitations = mayInvite && show === 'invitations';
  const setInviting = (inviting: boolean) =>
    void navigate({
      search: ({ invite: _, ...rest }) => ({ ...rest, ...(inviting ? { invite: true } : {}) }),
      replace: !inviting,
    });
  const to = { to: '/$organization/members', params: { organization: slug } } as const;

  return (
    <Page
      title="Members"
      about="Who belongs to the organization, and what each may do."
      actions={
        mayInvite && (
          <Button look="strong" onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {mayInvite && (
        <Tabs
          label="Members and invitations"
          tabs={[
            { label: 'Members', link: { ...to, search: {} }, active: !invitations },
            { label: 'Invitations', link: { ...to, search: { show: 'invitations' } }, active: invitations },
          ]}
        />
      )}
      {invitations ? <Invitations onInvite={() => setInviting(true)} /> : <MemberList />}
      <Invite open={mayInvite && invite === true} onClose={() => setInviting(false)} />
    </Page>
  );
}

function MemberList() {
  const { trpc } = usePlane();
  const organization = useMembership();
  const [sought, setSought] = useState('');
  const removing = useDialog<Member>();
  const members = usePages(trpc.members.list, {
    path: { id: organization.id },
    query: { limit: 100 },
    id: ({ userId }) => userId,
  });
  const loaded = members.items ?? [];
  const found = loaded.filter((member) => isSought(member, sought));
  const more = members.loadMore !== undefined;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="w-72 max-sm:w-full">
          <TextField
            name="search"
            type="search"
            label="Search members"
            bare
            placeholder="Search by name, e-mail or team"
            value={sought}
            onChange={setSought}
          />
        </div>
        {members.items !== undefined && (
          <p role="status" className="text-soft text-sm">
            {countText(found.length, loaded.length, more)}
          </p>
        )}
      </div>
      <Card>
        <LoadedPages pages={members} empty={null}>
          {() =>
            found.length === 0 ? (
              <p className="px-4 py-8 text-center text-soft text-sm">
                {more ? 'None of the loaded members match; show more below.' : 'No results.'}
              </p>
            ) : (
              <Rows label="Members">
                {found.map((member) => (
                  <MemberRow key={member.userId} member={member} onRemove={() => removing.show(member)} />
                ))}
              </Rows>
            )
          }
        </LoadedPages>
      </Card>
      {removing.about !== undefined && (
        <RemoveMember key={removing.key} member={removing.about} open={removing.open} onClose={removing.close} />
      )}
    </div>
  );
}

function countText(found: number, loaded: number, more: boolean): string {
  if (found !== loaded) return `${found} of ${loaded}${more ? ' that are loaded' : ''}`;
  return more ? `The first ${loaded}` : loaded === 1 ? '1 member' : `${loaded} members`;
}
