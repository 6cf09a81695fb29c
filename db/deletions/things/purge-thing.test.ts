import { afterAll, beforeAll, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/ground/fresh-database.ts';
import { purgedKinds, purgeKilled } from '../../../test/rows/purged-thing.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test.each(purgedKinds)(
  'killed after its first steps, the purge of a %s goes on, and leaves nothing that names it',
  (kind) => purgeKilled(fresh.database, kind, 2),
);
