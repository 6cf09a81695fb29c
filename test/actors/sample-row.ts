import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { createCluster } from '../../db/clusters/clusters.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import { type ActorKind, descriptors } from '../../workflows/descriptors.ts';
import { seedOrganization } from '../seeds/seed.ts';
import { tenantRow } from '../seeds/tenant-row.ts';
import { tester } from './actors.ts';

export interface SampleRow {
  id: string;
  organizationId: string;
}

/**
 * An open row of any kind of actor, old enough for the reconciler, in the given state: made of what the database says of
 * its columns, so that a new kind needs no sample of its own. Nothing has been told to its actor.
 */
export async function sampleRow(
  database: Database,
  kind: ActorKind,
  { state, revision }: { state: string; revision: number },
): Promise<SampleRow> {
  const { table, belongsTo } = descriptors[kind];
  const organizationId = await seedOrganization(database);
  const id = uuid();
  if (belongsTo === 'cluster') await sampleCluster(database, organizationId);
  else if (belongsTo !== null && belongsTo !== 'organization') await tenantRow(database, belongsTo, organizationId);
  const created = sql`now() - interval '5 minutes'`;
  await tenantRow(database, table, organizationId, { id, state, revision, created_at: created });
  // The organization that a deletion stands for is deleted.
  if (kind === 'deletion') {
    const organization = database.kysely.updateTable('organization').where('id', '=', organizationId);
    await organization.set({ deletion_id: id }).execute();
  }
  return { id, organizationId };
}

/** With all that a cluster has beside its row. */
async function sampleCluster(database: Database, organizationId: string): Promise<void> {
  await effect(database, tester, (making) => createCluster(making, { organizationId, name: `of ${organizationId}` }));
  await database.kysely.deleteFrom('outbox').where('organization_id', '=', organizationId).execute();
}
