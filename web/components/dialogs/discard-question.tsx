import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Button } from '../forms/button.tsx';

/** Asked once before a dialog closes over a half-typed form. */
export function DiscardQuestion({
  open,
  onKeep,
  onDiscard,
}: {
  open: boolean;
  onKeep: () => void;
  onDiscard: () => void;
}) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onKeep()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-60 bg-[light-dark(rgb(20_20_24/35%),rgb(0_0_0/60%))]" />
        <AlertDialog.Popup className="fixed top-[24vh] left-1/2 z-70 w-96 max-w-[calc(100vw-2rem)] -translate-x-1/2 rounded-xl bg-raised p-5 shadow-raised">
          <AlertDialog.Title className="font-semibold text-lg tracking-[-0.01em]">
            Discard your changes?
          </AlertDialog.Title>
          <AlertDialog.Description className="mt-0.5 mb-4 text-pretty text-soft text-sm">
            Nothing was sent yet.
          </AlertDialog.Description>
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onKeep}>Keep editing</Button>
            <Button look="danger" onClick={onDiscard}>
              Discard
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
