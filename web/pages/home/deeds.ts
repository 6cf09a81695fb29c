import type { Deeds, Kinds } from '../audit-log/deed.ts';
import { plainDeed } from '../audit-log/plain-deeds.ts';

export const kinds: Kinds<'guard'> = { guard: 'Guards of production' };

export const deeds: Deeds<'guard'> = {
  'guard.loosened': plainDeed('Loosened', 'loosened a guard:'),
  'guard.undone': plainDeed('Undone', 'undid:'),
};
