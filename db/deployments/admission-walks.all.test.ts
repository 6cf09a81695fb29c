import { afterAll, inject, test } from 'vitest';
import { walkAdmissions } from '../../test/arbiter/admission-walks.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

test('thousands of random walks end in the same snapshots as the arbiter alone', () =>
  walkAdmissions(fresh.database, inject('seed'), 2_000));
