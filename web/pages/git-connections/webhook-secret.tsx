import { CopyBlock } from '../../components/copyable.tsx';
import { DialogActions } from '../../components/dialogs/dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { type Connection, howToPaste } from './connection-words.ts';

/** The address and the secret of a webhook, ready to paste at the host. */
export function WebhookSecret({
  made,
  connection,
  onClose,
}: {
  made: { webhookUrl: string; secret: string };
  connection: Connection;
  onClose: () => void;
}) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-pretty text-soft text-sm">{howToPaste(connection.provider)}</p>
      <CopyBlock text={made.webhookUrl} label="address" />
      <CopyBlock text={made.secret} label="secret" />
      <p className="text-pretty text-soft text-sm">The secret is not shown again.</p>
      <DialogActions>
        <Button look="strong" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
