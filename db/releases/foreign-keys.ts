import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = ['project', 'environment', 'service'].map((thing) =>
  toRow('release', `${thing}_id`, thing),
);
