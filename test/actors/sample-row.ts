import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { createCluster } from '../../db/clusters/clusters.ts';
import { effect } from '../../db/engine/effect.ts';
import { migrationOrm } from '../../db/migrations/migration-orm.ts';
import type { Database } from '../../db/postgres/database.ts';
import { type ActorKind, descriptors } from '../../workflows/descriptors.ts';
import { seedOrganization } from '../seeds/seed.ts';
import { tester } from './actors.ts';

/** Nothing is connected for this. */
const entities = migrationOrm('postgresql://127.0.0.1:1/none').getMetadata();

export interface SampleRow {
  id: string;
  organizationId: string;
}

/**
 * An open row of any kind of actor, old enough for the reconciler, in the given state: made of what the entities say
 * about its columns, so that a new kind needs no sample of its own. Nothing has been told to its actor.
 */
export async function sampleRow(
  database: Database,
  kind: ActorKind,
  { state, revision }: { state: string; revision: number },
): Promise<SampleRow> {
  const { table } = descriptors[kind];
  const organizationId = await seedOrganization(database);
  const id = uuid();
  const entity = [...entities.getAll().values()].find(({ tableName }) => tableName === table);
  if (entity === undefined) throw new Error(`There is no entity of the table ${table}.`);
  const values: Record<string, unknown> = { id, organization_id: organizationId, state, revision };
  for (const property of Object.values(entity.properties)) {
    const [column = ''] = property.fieldNames;
    if (column in values || property.nullable || property.default !== undefined || property.defaultRaw !== undefined) {
      continue;
    }
    values[column] = await sampleValue(database, organizationId, column, property);
  }
  values.created_at = sql`now() - interval '5 minutes'`;
  const columns = Object.entries(values);
  await sql`
    insert into ${sql.table(table)} (${sql.join(columns.map(([column]) => sql.ref(column)))})
    values (${sql.join(columns.map(([, value]) => value))})
  `.execute(database.kysely);
  // The organization that a deletion stands for is deleted.
  if (kind === 'deletion') {
    const organization = database.kysely.updateTable('organization').where('id', '=', organizationId);
    await organization.set({ deletion_id: id }).execute();
  }
  return { id, organizationId };
}

async function sampleValue(
  database: Database,
  organizationId: string,
  column: string,
  { runtimeType, items, type }: { runtimeType: string; items?: unknown[]; type: string },
): Promise<unknown> {
  if (column === 'cluster_id') return (await sampleCluster(database, organizationId)).id;
  if (items !== undefined) return items[0];
  if (type === 'uuid') return uuid();
  if (runtimeType === 'Date') return new Date(Date.now() + 86_400_000);
  if (runtimeType === 'number') return 1;
  if (runtimeType === 'boolean') return false;
  return `sample-${uuid()}`;
}

async function sampleCluster(database: Database, organizationId: string): Promise<{ id: string }> {
  const cluster = await effect(database, tester, (making) =>
    createCluster(making, { organizationId, name: `of ${organizationId}` }),
  );
  await database.kysely.deleteFrom('outbox').where('organization_id', '=', organizationId).execute();
  return cluster;
}
