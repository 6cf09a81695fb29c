import { afterAll, beforeAll, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../test/ground/fresh-database.ts';
import { tellsByTheTable } from '../../test/inboxes/told-by-the-table.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

test('whatever happens, it is told to whom the table says, once', () => tellsByTheTable(fresh.database, 150));
