import { getRouteApi } from '@tanstack/react-router';
import { useAddressDialog } from '../../components/dialogs/use-address-dialog.ts';
import { Button } from '../../components/forms/button.tsx';
import { Page } from '../../components/page.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useMay, useMembership } from '../../control-plane/session.ts';
import { Invitations } from '../invitations/invitations.tsx';
import { Invite } from '../invitations/invite.tsx';
import { MemberList } from './member-list.tsx';

const route = getRouteApi('/$organization/members');

/** Members of the organization with their roles, and invitations. */
export function Members() {
  const mayInvite = useMay('admin');
  const { slug } = useMembership();
  const { show } = route.useSearch();
  const invitations = mayInvite && show === 'invitations';
  const inviting = useAddressDialog('invite');
  const to = { to: '/$organization/members', params: { organization: slug } } as const;

  return (
    <Page
      title="Members"
      about="Who belongs to the organization, and what each may do."
      actions={
        mayInvite && (
          <Button look="strong" onClick={inviting.show}>
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
      {invitations ? <Invitations onInvite={inviting.show} /> : <MemberList />}
      <Invite open={mayInvite && inviting.open} onClose={inviting.close} />
    </Page>
  );
}
