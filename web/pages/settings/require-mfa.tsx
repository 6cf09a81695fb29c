import { useState } from 'react';
import { Confirm } from '../../components/dialogs/confirm.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Organization } from './organization.ts';

/** Whether members must sign in with a second factor. Members it would lock out are named before the change. */
export function RequireMfa({ organization, mayChange }: { organization: Organization; mayChange: boolean }) {
  const { client, trpc } = usePlane();
  const { id, requireMfa } = organization;
  const [open, setOpen] = useState(false);
  const change = useChange(
    (body: { requireMfa: boolean; confirmMembersWithoutMfa?: true }, sent) =>
      client.organizations.update.mutate({ path: { id }, body: { ...body, was: { requireMfa } } }, sent),
    {
      failed: 'The second factor could not be switched',
      succeeded: ({ requireMfa }) => (requireMfa ? 'Second factor required' : 'Second factor no longer required'),
      quiet: true,
      done: () => setOpen(false),
      touches: () => [trpc.organizations.pathKey()],
    },
  );
  const lockedOut = change.problem?.fields['body.confirmMembersWithoutMfa'] === undefined ? undefined : change.problem;
  const close = () => {
    setOpen(false);
    change.reset();
  };
  return (
    <Setting
      title="Second factor"
      about="When it is required, members sign in with a passkey or an authenticator app as well as a password."
    >
      <span>{requireMfa ? 'Required of everybody' : 'Not required'}</span>
      {mayChange && (
        <Button small onClick={() => setOpen(true)}>
          {requireMfa ? 'No longer require it' : 'Require it'}
        </Button>
      )}
      {requireMfa ? (
        <Confirm
          open={open}
          onClose={close}
          title="No longer require a second factor?"
          confirm="No longer require it"
          change={change}
          onConfirm={() => change.send({ requireMfa: false })}
        >
          A password alone is enough again for members who set up nothing else.
        </Confirm>
      ) : (
        <Confirm
          open={open}
          onClose={close}
          title={lockedOut === undefined ? 'Require a second factor of everybody?' : 'Lock these members out for now?'}
          confirm={lockedOut === undefined ? 'Require it' : 'Require it all the same'}
          change={lockedOut === undefined ? change : { sending: change.sending, problem: undefined }}
          onConfirm={() =>
            change.send({ requireMfa: true, ...(lockedOut === undefined ? {} : { confirmMembersWithoutMfa: true }) })
          }
        >
          {lockedOut?.detail ??
            'Sessions that started without one are refused at once. If that affects other members, you see who they are before anything changes. API tokens keep working.'}
        </Confirm>
      )}
    </Setting>
  );
}
