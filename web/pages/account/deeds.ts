import { type Deeds, why } from '../audit-log/deed.ts';

export const kinds = { deletion: 'Deletions' };

export const deeds: Deeds<'deletion'> = {
  'deletion.failed': { label: 'Failed', done: ({ details }) => `marked a deletion as failed${why(details)}` },
};
