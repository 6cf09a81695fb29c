import { type Deeds, type Kinds, why } from '../audit-log/deed.ts';

export const kinds: Kinds<'deletion'> = { deletion: 'Deletions' };

export const deeds: Deeds<'deletion'> = {
  'deletion.failed': { label: 'Failed', done: ({ details }) => `marked a deletion as failed${why(details)}` },
};
