import { useState } from 'react';
import { DialogActions, SubmitOrCancel } from '../../components/dialogs/dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Form, TextField } from '../../components/forms/form.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';
import { AgentArrival } from '../agents/agent-arrival.tsx';

/** Creates a cluster, then shows its join command. The command is dropped when the dialog closes. */
export function AddCluster({ onClose }: { onClose: () => void }) {
  const { client, trpc } = usePlane();
  const [name, setName] = useState('');
  const [region, setRegion] = useState('');
  const [created, setCreated] = useState<Answers['clusters']['create']>();
  const add = useChange(
    (body: { name: string; region: string }, sent) => client.clusters.create.mutate({ body }, sent),
    {
      failed: 'The cluster could not be created',
      succeeded: ({ cluster }) => `${cluster.name} created`,
      quiet: true,
      secret: true,
      done: setCreated,
      touches: () => [trpc.clusters.list.pathKey()],
    },
  );
  if (created !== undefined) {
    return (
      <div className="flex flex-col gap-4">
        <AgentArrival cluster={created.cluster} joining={created} before={undefined} />
        <DialogActions>
          <Button look="strong" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </div>
    );
  }
  return (
    <Form problem={add.problem} places={['name', 'region']} onSubmit={() => add.send({ name, region })}>
      <TextField
        name="name"
        label="Name"
        value={name}
        onChange={setName}
        required
        first
        maxLength={100}
        placeholder="Berlin"
      />
      <TextField
        name="region"
        label="Region"
        hint="Where its machine is, in your own words. Optional."
        value={region}
        onChange={setRegion}
        maxLength={100}
      />
      <SubmitOrCancel onCancel={onClose} busy={add.sending}>
        Add cluster
      </SubmitOrCancel>
    </Form>
  );
}
