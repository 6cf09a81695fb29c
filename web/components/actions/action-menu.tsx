import { Menu } from '../dialogs/menu.tsx';
import type { Action } from './action.ts';
import { useOffers } from './offered.ts';
import { useActions } from './use-actions.tsx';

/** The menu of one thing, on its own page. */
export function ActionMenu({ label, actions }: { label: string; actions: readonly Action[] }) {
  const { allowed, choose, items, dialog } = useActions();
  const offered = allowed(actions);
  useOffers(offered.map((action) => ({ label: action.label, run: () => choose(action) })));
  if (offered.length === 0) return null;
  return (
    <>
      <Menu label={label}>{items(offered)}</Menu>
      {dialog}
    </>
  );
}
