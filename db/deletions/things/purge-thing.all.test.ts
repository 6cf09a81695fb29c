import { afterAll, test } from 'vitest';
import { freshDatabase } from '../../../test/ground/fresh-database.ts';
import { purgedKinds, purgeKilled } from '../../../test/rows/purged-thing.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

test.each(purgedKinds)(
  'killed after each of its steps, the purge of a %s goes on, and leaves nothing that names it',
  (kind) => purgeKilled(fresh.database, kind, Number.POSITIVE_INFINITY),
);
