import { afterAll, beforeAll, inject, test } from 'vitest';
import { walkAdmissions } from '../../test/arbiter/admission-walks.ts';
import { type FreshDatabase, freshDatabase } from '../../test/ground/fresh-database.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test('thousands of random walks end in the same snapshots as the arbiter alone', () =>
  walkAdmissions(fresh.database, inject('seed'), 2_000));
