import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine } from '../../test/seeds/seed.ts';
import { listAuditRecords } from './audit.ts';
import { effect } from './effect.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

test('of two changes of which one waited for the other, the log tells first what was done first', async () => {
  const organizationId = uuid();
  await effect(fresh.database, machine, async (began) => {
    await sql`select pg_sleep(0.005)`.execute(began.kysely);
    await effect(fresh.database, machine, async (overtook) =>
      overtook.audit('team.created', { organizationId, id: uuid() }),
    );
    await sql`select pg_sleep(0.005)`.execute(began.kysely);
    began.audit('team.renamed', { organizationId, id: uuid() });
  });
  const records = await listAuditRecords(fresh.database.kysely, organizationId, {}, { limit: 10 });
  expect(records.map(({ action }) => action)).toEqual(['team.renamed', 'team.created']);
});
