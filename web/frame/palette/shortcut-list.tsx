import { mayActAs } from '../../../domain/roles.ts';
import { isMac } from '../../components/browser/is-mac.ts';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { places } from '../places.ts';

/** Keyboard shortcuts available to this role. */
export function ShortcutList({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { role } = useMembership();
  const reachable = places.filter((place) => mayActAs(role, place.role));
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[1fr_auto] gap-y-2 text-sm">
        <Shortcut keys={[isMac ? '⌘' : 'Ctrl', 'K']}>Search pages and actions</Shortcut>
        <Shortcut keys={[isMac ? '⌘' : 'Ctrl', 'Z']}>Undo the last change that offers it</Shortcut>
        <Shortcut keys={['?']}>These shortcuts</Shortcut>
        <Shortcut keys={['←', '→', '↑', '↓']}>Between the releases of a project</Shortcut>
        <Shortcut keys={['Shift', '→']}>Promote a release to the next environment</Shortcut>
        {reachable.map(({ to, label, key }) => (
          <Shortcut key={to} keys={['g', key]}>
            {label}
          </Shortcut>
        ))}
      </dl>
    </Dialog>
  );
}

function Shortcut({ keys, children }: { keys: readonly string[]; children: string }) {
  return (
    <>
      <dt>{children}</dt>
      <dd className="flex gap-1">
        {keys.map((key) => (
          <kbd
            key={key}
            className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-ground px-1.5 font-sans text-soft text-xs"
          >
            {key}
          </kbd>
        ))}
      </dd>
    </>
  );
}
