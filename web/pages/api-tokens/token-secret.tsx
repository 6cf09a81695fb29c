import { CopyBlock } from '../../components/copyable.tsx';
import { DialogActions } from '../../components/dialogs/dialog.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Notice } from '../../components/notice.tsx';
import type { Answers } from '../../control-plane/session.ts';

export type MadeToken = Answers['apiTokens']['create'];

/** The secret of a token: here and never again. */
export function TokenSecret({ made, onClose }: { made: MadeToken; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="attention" title="Copy it now">
        <p>It is not shown again. Anyone who has it has the rights of its role: keep it like a password.</p>
      </Notice>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium text-sm">Secret</p>
        <CopyBlock text={made.secret} label="secret" />
      </div>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium text-sm">Use it on the command line, with Node on any machine</p>
        <CopyBlock
          text={`export BALLAST_TOKEN=${made.secret}\nnpx --yes ${location.origin}/api/v1/cli/ballast.tgz cluster list`}
          label="command"
        />
      </div>
      <DialogActions>
        <Button look="strong" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
