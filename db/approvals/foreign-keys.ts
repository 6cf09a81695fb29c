import { type ForeignKey, toRow } from '../postgres/foreign-key.ts';

export const foreignKeys: readonly ForeignKey[] = ['project', 'environment'].map((thing) =>
  toRow('approval', `${thing}_id`, thing),
);
