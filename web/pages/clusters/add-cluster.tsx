import { DialogActions } from '../../components/dialogs/dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { FormDialog } from '../../components/forms/operation/form-dialog.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { AgentArrival } from '../agents/agent-arrival.tsx';

/** Creates a cluster, then shows its join command. The command is dropped when the dialog closes. */
export function AddCluster({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { trpc } = usePlane();
  return (
    <FormDialog
      operation={trpc.clusters.create}
      fields={{
        name: { placeholder: 'Berlin' },
        region: { hint: 'Where its machine is, in your own words. Optional.' },
      }}
      title="Add a cluster"
      submit="Add cluster"
      succeeded={({ cluster }) => `${cluster.name} created`}
      after={{
        title: ({ cluster }) => `Connect ${cluster.name}`,
        content: (created, close) => (
          <div className="flex flex-col gap-4">
            <AgentArrival cluster={created.cluster} joining={created} before={undefined} />
            <DialogActions>
              <Button look="strong" onClick={close}>
                Done
              </Button>
            </DialogActions>
          </div>
        ),
      }}
      open={open}
      onClose={onClose}
    />
  );
}
