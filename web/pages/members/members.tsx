import { getRouteApi } from '@tanstack/react-router';
import { usePageAction } from '../../components/actions/use-page-action.tsx';
import { Page } from '../../components/page.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { invite } from '../invitations/invitation-link.tsx';
import { Invitations } from '../invitations/invitations.tsx';
import { MemberList } from './member-list.tsx';

const route = getRouteApi('/$organization/members');

/** Members of the organization with their roles, and invitations. */
export function Members() {
  const { trpc } = usePlane();
  const own = useMembership();
  const mayInvite = useMay('admin');
  const { show } = route.useSearch();
  const invitations = mayInvite && show === 'invitations';
  const { button, dialog } = usePageAction('invite', invite(trpc, own));
  const to = { to: '/$organization/members', params: { organization: own.slug } } as const;

  return (
    <Page title="Members" about="Who belongs to the organization, and what each may do." actions={button}>
      {mayInvite && (
        <Tabs
          label="Members and invitations"
          tabs={[
            { label: 'Members', link: { ...to, search: {} }, active: !invitations },
            { label: 'Invitations', link: { ...to, search: { show: 'invitations' } }, active: invitations },
          ]}
        />
      )}
      {invitations ? <Invitations inviteButton={button} /> : <MemberList />}
      {dialog}
    </Page>
  );
}
