import { useState } from 'react';
import { Dialog, SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Form, TextField } from '../../components/forms/form.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { useChange } from '../../control-plane/change.ts';
import { personPlane, usePlane } from '../../control-plane/plane.ts';
import type { Organization } from './organization.ts';

export function OrganizationName({ organization, mayChange }: { organization: Organization; mayChange: boolean }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <Setting title="Name">
      <span className="min-w-0 break-words">{organization.name}</span>
      {mayChange && (
        <Button small onClick={() => setOpen(true)} aria-label="Change the name">
          Change
        </Button>
      )}
      <Dialog open={open} onClose={close} title="Change the name">
        <Rename organization={organization} onClose={close} />
      </Dialog>
    </Setting>
  );
}

function Rename({ organization: { id, name: before }, onClose }: { organization: Organization; onClose: () => void }) {
  const { client, trpc } = usePlane();
  const [name, setName] = useState(before);
  const rename = useChange(
    (body: { name: string }, sent) => client.organizations.update.mutate({ path: { id }, body }, sent),
    {
      failed: 'The name could not be changed',
      succeeded: 'Name saved',
      quiet: true,
      done: () => {
        // The sidebar shows the name, too.
        void personPlane.queryClient.invalidateQueries();
        onClose();
      },
      touches: () => [trpc.organizations.pathKey()],
    },
  );
  return (
    <Form problem={rename.problem} places={['name']} onSubmit={() => rename.send({ name })}>
      <TextField name="name" label="Name" value={name} onChange={setName} required first maxLength={100} />
      <SubmitOrCancel onCancel={onClose} busy={rename.sending}>
        Save
      </SubmitOrCancel>
    </Form>
  );
}
