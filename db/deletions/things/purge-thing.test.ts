import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ThingKind } from '../../../domain/deletions/kinds.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization } from '../../../test/seeds/seed.ts';
import { tenantRow } from '../../../test/seeds/tenant-row.ts';
import { actorKinds, descriptors } from '../../../workflows/descriptors.ts';
import { tenantTables } from '../../postgres/tenant-tables.ts';
import { purgeOrder } from '../purge.ts';
import { purgeThing } from './purge-thing.ts';
import { tableOfThing } from './thing-row.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

/** Tables that keep their rows by intention: the account of deletions, the audit log, and hints, which are swept after a day. */
const accounts = ['deletion', 'audit_record', 'change_feed'];

/** Tables whose rows stay and lose their links. */
const linking = ['notification', 'queued_delivery', 'delivery', 'incident'];

/** An organization with a row in each table, all of one project; nothing of it is under way. */
async function full(): Promise<string> {
  const { database } = fresh;
  const organizationId = await seedOrganization(database);
  await seedMember(database, organizationId);
  for (const table of purgeOrder().toReversed()) {
    const { rows } =
      await sql`select from ${sql.table(table)} where organization_id = ${organizationId} limit 1`.execute(
        database.kysely,
      );
    if (rows.length === 0) await tenantRow(database, table, organizationId, await ofProject(table, organizationId));
  }
  // Inboxes and channels name what they lead to in a text.
  const link = {
    projectId: await idOf('project', organizationId),
    environmentId: await idOf('environment', organizationId),
  };
  for (const table of linking) {
    await sql`update ${sql.table(table)} set link = ${{ type: 'approval', ...link, serviceId: await idOf('service', organizationId) }}
      where organization_id = ${organizationId}`.execute(database.kysely);
  }
  for (const kind of actorKinds) {
    const { table } = descriptors[kind];
    await sql`update ${sql.table(table)} set finished_at = now() where organization_id = ${organizationId}`.execute(
      database.kysely,
    );
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(table)} where organization_id = ${organizationId}`.execute(database.kysely);
    for (const { id } of rows) {
      const archive = {
        actor_id: `${kind}/${id}`,
        run_id: 'r',
        page: 0,
        organization_id: organizationId,
        bytes: Buffer.from('b'),
      };
      await database.kysely.insertInto('history_archive').values(archive).execute();
    }
  }
  return organizationId;
}

/** Columns that no foreign key fills: they name the same project, environment and service. */
async function ofProject(table: string, organizationId: string): Promise<Record<string, string>> {
  // A key without an organization's secrets belongs to none.
  const given: Record<string, string> = table === 'data_key' ? { purpose: 'secrets' } : {};
  for (const thing of ['project', 'environment', 'service'] as const) {
    const { rows } = await sql<{ id: string }>`
      select thing.id from ${sql.table(thing)} thing where thing.organization_id = ${organizationId} and exists (
        select from information_schema.columns where table_name = ${table} and column_name = ${`${thing}_id`}
      ) limit 1`.execute(fresh.database.kysely);
    const [row] = rows;
    if (row !== undefined) given[`${thing}_id`] = row.id;
  }
  return given;
}

async function idOf(kind: ThingKind, organizationId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(tableOfThing[kind])} where organization_id = ${organizationId}`.execute(
    fresh.database.kysely,
  );
  return rows[0]?.id ?? '';
}

/** Tables with a row that mentions an id, in whatever column. */
async function mentioning(id: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of tenantTables) {
    const { rows } = await sql`
      select from ${sql.table(table)} as row where position(${id} in row::text) > 0 limit 1`.execute(
      fresh.database.kysely,
    );
    if (rows.length > 0 && !accounts.includes(table)) found.push(table);
  }
  return found;
}

const keyring = {
  encryptSecret: async () => Promise.reject(new Error('There are no data on clusters.')),
  decryptSecret: async () => Promise.reject(new Error('There are no data on clusters.')),
};

test.each(['left-volume', 'volume', 'database', 'service', 'environment', 'project'] as const)(
  'killed after each of its steps, the purge of a %s goes on, and leaves nothing that names it',
  async (kind) => {
    const { database } = fresh;
    const organizationId = await full();
    const id = await idOf(kind, organizationId);
    const before = await mentioning(id);
    const small = kind === 'volume' || kind === 'left-volume';
    expect(before.length).toBeGreaterThan(small ? 0 : 5);
    expect(before.includes('notification')).toBe(!small);
    const thing = { deletionId: uuid(), organizationId, kind, id };
    let kills = 0;
    const purging = { database, keyring, author: machine, batchSize: 1 };
    for (let done = false; !done; ) {
      const killed = ({ deleted }: { deleted: number }) => {
        if (deleted > 0) throw new Error('killed');
      };
      done = await purgeThing({ ...purging, onProgress: killed }, thing).then(
        () => true,
        (error: Error) => {
          if (error.message !== 'killed') throw error;
          kills += 1;
          return false;
        },
      );
    }
    // The change sets that named a volume stay as they were.
    const kept = kind === 'volume' ? ['change_set_item'] : [];
    const stays = [...kept, ...linking];
    expect(kills).toBeGreaterThanOrEqual(before.filter((table) => !stays.includes(table)).length);
    expect((await mentioning(id)).filter((table) => !kept.includes(table))).toEqual([]);
    const archived = database.kysely.selectFrom('history_archive').select('actor_id');
    const actors = (await archived.where('organization_id', '=', organizationId).execute()).map((row) => row.actor_id);
    expect(actors.some((actor) => actor.startsWith('deployment/'))).toBe(small);
    expect(actors.some((actor) => actor.startsWith('cluster/'))).toBe(true);
    expect(await purgeThing({ ...purging, onProgress: () => undefined }, thing)).toEqual({ deletedRows: 0 });
  },
);
