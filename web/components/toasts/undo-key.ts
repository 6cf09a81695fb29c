import { isMac } from '../browser/is-mac.ts';

/** As it is read out. */
export const undoKeys = isMac ? 'Command Z' : 'Control Z';
/** As it is printed. */
export const undoKeysShown = isMac ? '⌘ Z' : 'Ctrl Z';

/** Whether a key means Undo here: in a field it takes back what was typed. */
export function isUndo({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): boolean {
  if (key.toLowerCase() !== 'z' || altKey || shiftKey || (isMac ? !metaKey : !ctrlKey)) return false;
  return !(target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null);
}
