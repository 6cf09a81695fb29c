import { undoLoosening } from './undo-loosening.ts';

export const guards = { undo: undoLoosening };
