import { type Deeds, plainDeed } from '../audit-log/deed.ts';

export const kinds = { guard: 'Guards of production' };

export const deeds: Deeds<'guard'> = {
  'guard.loosened': plainDeed('Loosened', 'loosened a guard:'),
  'guard.undone': plainDeed('Undone', 'undid:'),
};
