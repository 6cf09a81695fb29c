import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect } from 'vitest';
import { purgeOrder } from '../../db/deletions/purge.ts';
import { tableOfThing } from '../../db/deletions/things/deleted-things.ts';
import { purgeThing } from '../../db/deletions/things/purge-thing.ts';
import { tenantTables } from '../../db/postgres/tenant-tables.ts';
import type { ThingKind } from '../../domain/deletions/kinds.ts';
import { actorKinds, descriptors } from '../../workflows/descriptors.ts';
import type { WholeDatabase as Database } from '../ground/whole-database.ts';
import { machine, seedMember, seedOrganization } from '../seeds/seed.ts';
import { tenantRow } from '../seeds/tenant-row.ts';

export const purgedKinds = ['left-volume', 'volume', 'database', 'service', 'environment', 'project'] as const;

/** Purges a thing, killed after each of its first steps, and looks that it goes on and leaves nothing that names the thing. */
export async function purgeKilled(
  database: Database,
  kind: (typeof purgedKinds)[number],
  mostKills: number,
): Promise<void> {
  const organizationId = await full(database);
  const id = await idOf(database, kind, organizationId);
  const before = await mentioning(database, id);
  const small = kind === 'volume' || kind === 'left-volume';
  expect(before.length).toBeGreaterThan(small ? 0 : 5);
  expect(before.includes('notification')).toBe(!small);
  const thing = { deletionId: uuid(), organizationId, kind, id };
  let kills = 0;
  const purging = { database, keyring, author: machine, batchSize: 1 };
  for (let done = false; !done; ) {
    const killed = ({ deleted }: { deleted: number }) => {
      if (deleted > 0 && kills < mostKills) throw new Error('killed');
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
  const steps = before.filter((table) => !stays.includes(table)).length;
  expect(kills).toBeGreaterThanOrEqual(Math.min(steps, mostKills));
  expect((await mentioning(database, id)).filter((table) => !kept.includes(table))).toEqual([]);
  const archived = database.kysely.selectFrom('history_archive').select('actor_id');
  const actors = (await archived.where('organization_id', '=', organizationId).execute()).map((row) => row.actor_id);
  expect(actors.some((actor) => actor.startsWith('deployment/'))).toBe(small);
  expect(actors.some((actor) => actor.startsWith('cluster/'))).toBe(true);
  expect(await purgeThing({ ...purging, onProgress: () => undefined }, thing)).toEqual({ deletedRows: 0 });
}

/** Tables that keep their rows by intention: the account of deletions, the audit log, and hints, which are swept after a day. */
const accounts = ['deletion', 'audit_record', 'change_feed'];

/** Tables whose rows stay and lose their links. */
const linking = ['notification', 'queued_delivery', 'delivery', 'incident'];

/** An organization with a row in each table, all of one project; nothing of it is under way. */
async function full(database: Database): Promise<string> {
  const organizationId = await seedOrganization(database);
  await seedMember(database, organizationId);
  for (const table of purgeOrder().toReversed()) {
    const { rows } =
      await sql`select from ${sql.table(table)} where organization_id = ${organizationId} limit 1`.execute(
        database.kysely,
      );
    if (rows.length === 0)
      await tenantRow(database, table, organizationId, await ofProject(database, table, organizationId));
  }
  // Inboxes and channels name what they lead to in a text.
  const link = {
    projectId: await idOf(database, 'project', organizationId),
    environmentId: await idOf(database, 'environment', organizationId),
  };
  for (const table of linking) {
    await sql`update ${sql.table(table)} set link = ${{ type: 'approval', ...link, serviceId: await idOf(database, 'service', organizationId) }}
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
async function ofProject(database: Database, table: string, organizationId: string): Promise<Record<string, string>> {
  // A key without an organization's secrets belongs to none.
  const given: Record<string, string> = table === 'data_key' ? { purpose: 'secrets' } : {};
  for (const thing of ['project', 'environment', 'service'] as const) {
    if (!(await namingColumns(database)).has(`${table}.${thing}_id`)) continue;
    const id = await idOf(database, thing, organizationId);
    if (id !== '') given[`${thing}_id`] = id;
  }
  return given;
}

/** The same in every database of a process. */
let naming: Promise<ReadonlySet<string>> | undefined;

function namingColumns({ kysely }: Database): Promise<ReadonlySet<string>> {
  naming ??= sql<{ name: string }>`
    select concat(table_name, '.', column_name) as name from information_schema.columns
    where table_schema = 'public' and column_name in ('project_id', 'environment_id', 'service_id')
  `
    .execute(kysely)
    .then(({ rows }) => new Set(rows.map(({ name }) => name)));
  return naming;
}

async function idOf(database: Database, kind: ThingKind, organizationId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(tableOfThing[kind])} where organization_id = ${organizationId}`.execute(database.kysely);
  return rows[0]?.id ?? '';
}

/** Tables with a row that mentions an id, in whatever column. */
async function mentioning(database: Database, id: string): Promise<string[]> {
  const each = tenantTables
    .filter((table) => !accounts.includes(table))
    .map(
      (table) => sql`(select ${table}::text as name from ${sql.table(table)} as whole
        where position(${id} in whole::text) > 0 limit 1)`,
    );
  const { rows } = await sql<{ name: string }>`${sql.join(each, sql` union all `)}`.execute(database.kysely);
  return rows.map(({ name }) => name);
}

const keyring = {
  encryptSecret: async () => Promise.reject(new Error('There are no data on clusters.')),
  decryptSecret: async () => Promise.reject(new Error('There are no data on clusters.')),
};
