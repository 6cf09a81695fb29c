import { sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { standstillMinor } from '../../domain/clusters/clusters.ts';
import { rolloutKey } from '../../domain/deployments/workload-of.ts';
import { keptName, volumeName } from '../../domain/services/volumes.ts';
import { type TransferState, transfersAtOnce } from '../../domain/volume-backups/states.ts';
import type { RestoreVolumeBody, StoreTarget } from '../../protocol/volume.ts';
import { createCommand } from '../commands/cluster-commands.ts';
import type { Author } from '../engine/author.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';

export type TransferTable = 'volume_backup' | 'volume_restore';

export const transferActors = { volume_backup: 'volume-backup', volume_restore: 'volume-restore' } as const;

/** A backup or a restore as its actor's activities need it. */
export interface TransferRow {
  id: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  volumeId: string;
  clusterId: string;
  state: TransferState;
  revision: number;
  message: string | null;
  finished: boolean;
}

export interface BackupRow extends TransferRow {
  objectStoreId: string;
  objectKey: string;
  quiesce: boolean;
  /** Of the object, once it is there. */
  sha256: string;
  sizeBytes: number;
  archiveBytes: number;
}

export interface RestoreRow extends TransferRow {
  sourceBackupId: string | null;
  keptByRestoreId: string | null;
  requestedBy: Pick<Author, 'kind' | 'id' | 'name'>;
}

const columns = [
  'id',
  'organization_id as organizationId',
  'project_id as projectId',
  'environment_id as environmentId',
  'service_id as serviceId',
  'volume_id as volumeId',
  'cluster_id as clusterId',
  'state',
  'revision',
  'message',
] as const;
const finished = sql<boolean>`finished_at is not null`.as('finished');

/** The row, locked, so that an activity that runs twice at once does everything once. */
export async function lockBackup({ kysely }: Pick<Effect, 'kysely'>, id: string): Promise<BackupRow | undefined> {
  return await kysely
    .selectFrom('volume_backup')
    .select([...columns, finished, 'object_store_id as objectStoreId', 'object_key as objectKey'])
    .select(['sha256', 'quiesce'])
    .select([sql<number>`size_bytes::float8`.as('sizeBytes'), sql<number>`archive_bytes::float8`.as('archiveBytes')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function lockRestore({ kysely }: Pick<Effect, 'kysely'>, id: string): Promise<RestoreRow | undefined> {
  const row = await kysely
    .selectFrom('volume_restore')
    .select([...columns, finished, 'source_backup_id as sourceBackupId', 'kept_by_restore_id as keptByRestoreId'])
    .select(['requested_by_kind as kind', 'requested_by_id as by', 'requested_by_name as name'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { kind, by, name, ...restore } = row;
  return { ...restore, requestedBy: { kind, id: by, name } };
}

/** Turns of a cluster are given one after the other, before any row is locked. */
export async function lockTurns({ kysely }: Effect, table: TransferTable, id: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`${table} `} || cluster_id, 0)) from ${sql.table(table)} where id = ${id}
  `.execute(kysely);
}

interface OpenTransfer {
  id: string;
  organizationId: string;
  /** Of the volume in its environment. */
  place: string;
  running: boolean;
}

/** Oldest first. */
async function openTransfers({ kysely }: Effect, table: TransferTable, clusterId: string): Promise<OpenTransfer[]> {
  return await kysely
    .selectFrom(table)
    .select(['id', 'organization_id as organizationId', sql<string>`concat(environment_id, volume_id)`.as('place')])
    .select(sql<boolean>`state = 'running'`.as('running'))
    .where('cluster_id', '=', clusterId)
    .where('finished_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** As many as there is room for; of one volume one at a time. */
function turnsOf(open: readonly OpenTransfer[]): OpenTransfer[] {
  const running = open.filter((one) => one.running);
  const [taken, next] = [new Set(running.map(({ place }) => place)), [] as OpenTransfer[]];
  for (const one of open) {
    if (running.length + next.length >= transfersAtOnce) break;
    if (one.running || taken.has(one.place)) continue;
    taken.add(one.place);
    next.push(one);
  }
  return next;
}

/** Why it is not its turn: a sentence; undefined: it is. */
export async function refusedTurn(
  effect: Effect,
  table: TransferTable,
  { id, clusterId }: TransferRow,
): Promise<string | undefined> {
  const cluster = await effect.kysely
    .selectFrom('cluster')
    .leftJoin('cluster_agent as agent', 'agent.cluster_id', 'cluster.id')
    .select(['cluster.name', 'agent.contact'])
    .where('cluster.id', '=', clusterId)
    .executeTakeFirst();
  if (cluster?.contact !== 'connected')
    return `Waits for the agent of the cluster "${cluster?.name ?? ''}", which is not in contact.`;
  const open = await openTransfers(effect, table, clusterId);
  if (turnsOf(open).some((one) => one.id === id)) return undefined;
  return `Waits for the ${table === 'volume_backup' ? 'backups' : 'restores'} before it on this cluster.`;
}

/** Why its processes cannot stand still now, in a sentence: a deployment of the service judges its new instances, or the agent is too old. */
export async function unfitToStandStill(
  { kysely }: Effect,
  { organizationId, environmentId, serviceId, clusterId }: TransferRow,
): Promise<string | undefined> {
  const open = await tenant(kysely, organizationId)
    .selectFrom('deployment')
    .select('id')
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .where('finished_at', 'is', null)
    .where('started_at', 'is not', null)
    .executeTakeFirst();
  if (open !== undefined) return `Waits for the deployment ${open.id} of the service.`;
  const agent = await kysely
    .selectFrom('cluster_agent')
    .select('protocol_minor as minor')
    .where('cluster_id', '=', clusterId)
    .executeTakeFirst();
  return (agent?.minor ?? 0) < standstillMinor ? 'Waits for the agent of the cluster to be updated.' : undefined;
}

/** Tells those whose turn it is now. */
export async function callNext(effect: Effect, table: TransferTable, clusterId: string): Promise<void> {
  for (const { id, organizationId } of turnsOf(await openTransfers(effect, table, clusterId)))
    effect.tell({ to: actorId(transferActors[table], id), message: 'turn', organizationId, body: {} });
}

/** The command has the id of the backup: asked for twice, there is one. */
export async function askForBackup(
  effect: Effect,
  keyring: Secrets,
  backup: BackupRow,
  store: StoreTarget,
): Promise<void> {
  const { id, organizationId, clusterId, environmentId, serviceId, volumeId, objectKey, quiesce } = backup;
  await createCommand(
    effect,
    keyring,
    { id: clusterId, organizationId },
    {
      id,
      actorId: actorId('volume-backup', id),
      body: {
        kind: 'backup-volume',
        key: rolloutKey(environmentId, serviceId),
        volume: volumeName(volumeId),
        ...{ store, objectKey, quiesce },
      },
    },
  );
}

/** The command has the id of the restore. */
export async function askForRestore(
  effect: Effect,
  keyring: Secrets,
  restore: RestoreRow,
  from: RestoreVolumeBody['from'],
): Promise<void> {
  const { id, organizationId, clusterId, environmentId, serviceId, volumeId } = restore;
  const body: RestoreVolumeBody = {
    kind: 'restore-volume',
    key: rolloutKey(environmentId, serviceId),
    ...{ volume: volumeName(volumeId), keptAs: keptName(id), from },
  };
  const asked = { id, actorId: actorId('volume-restore', id), body };
  await createCommand(effect, keyring, { id: clusterId, organizationId }, asked);
}
