import { type Deeds, type Kinds, plainDeed } from '../audit-log/deed.ts';

export const kinds: Kinds<'guard'> = { guard: 'Guards of production' };

export const deeds: Deeds<'guard'> = {
  'guard.loosened': plainDeed('Loosened', 'loosened a guard:'),
  'guard.undone': plainDeed('Undone', 'undid:'),
};
