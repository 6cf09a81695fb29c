import { sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import { rolloutKey } from '../../domain/deployments/workload-of.ts';
import { volumeName } from '../../domain/services/volumes.ts';
import { backupsAtOnce, type VolumeBackupState } from '../../domain/volume-backups/states.ts';
import type { StoreTarget } from '../../protocol/volume.ts';
import { createCommand } from '../commands/cluster-commands.ts';
import type { Effect } from '../engine/effect.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';

/** A backup as its actor's activities need it. */
export interface BackupRow {
  id: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  volumeId: string;
  clusterId: string;
  objectStoreId: string;
  objectKey: string;
  state: VolumeBackupState;
  revision: number;
  message: string | null;
  finished: boolean;
}

/** The row, locked, so that an activity that runs twice at once does everything once. */
export async function lockBackup({ kysely }: Pick<Effect, 'kysely'>, id: string): Promise<BackupRow | undefined> {
  return await kysely
    .selectFrom('volume_backup')
    .select(['id', 'organization_id as organizationId', 'project_id as projectId', 'environment_id as environmentId'])
    .select(['service_id as serviceId', 'volume_id as volumeId', 'cluster_id as clusterId', 'state', 'revision'])
    .select(['object_store_id as objectStoreId', 'object_key as objectKey', 'message'])
    .select(sql<boolean>`finished_at is not null`.as('finished'))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Turns of a cluster are given one after the other, before any row is locked. */
export async function lockBackupTurns({ kysely }: Effect, id: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('volume backups ' || cluster_id, 0)) from volume_backup where id = ${id}
  `.execute(kysely);
}

interface OpenBackup {
  id: string;
  organizationId: string;
  /** Of the volume in its environment. */
  place: string;
  running: boolean;
}

/** Oldest first. */
async function openBackups({ kysely }: Effect, clusterId: string): Promise<OpenBackup[]> {
  return await kysely
    .selectFrom('volume_backup')
    .select(['id', 'organization_id as organizationId', sql<string>`concat(environment_id, volume_id)`.as('place')])
    .select(sql<boolean>`state = 'running'`.as('running'))
    .where('cluster_id', '=', clusterId)
    .where('finished_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** As many as there is room for; of one volume one at a time. */
function turnsOf(open: readonly OpenBackup[]): OpenBackup[] {
  const running = open.filter((one) => one.running);
  const [taken, next] = [new Set(running.map(({ place }) => place)), [] as OpenBackup[]];
  for (const one of open) {
    if (running.length + next.length >= backupsAtOnce) break;
    if (one.running || taken.has(one.place)) continue;
    taken.add(one.place);
    next.push(one);
  }
  return next;
}

/** Why it is not its turn: a sentence; undefined: it is. */
export async function refusedBackupTurn(effect: Effect, { id, clusterId }: BackupRow): Promise<string | undefined> {
  const cluster = await effect.kysely
    .selectFrom('cluster')
    .leftJoin('cluster_agent as agent', 'agent.cluster_id', 'cluster.id')
    .select(['cluster.name', 'agent.contact'])
    .where('cluster.id', '=', clusterId)
    .executeTakeFirst();
  if (cluster?.contact !== 'connected')
    return `Waits for the agent of the cluster "${cluster?.name ?? ''}", which is not in contact.`;
  const open = await openBackups(effect, clusterId);
  if (turnsOf(open).some((one) => one.id === id)) return undefined;
  return 'Waits for the backups before it on this cluster.';
}

/** Tells the backups whose turn it is now. */
export async function callNextBackup(effect: Effect, clusterId: string): Promise<void> {
  for (const { id, organizationId } of turnsOf(await openBackups(effect, clusterId)))
    effect.tell({ to: actorId('volume-backup', id), message: 'turn', organizationId, body: {} });
}

/** The command has the id of the backup: asked for twice, there is one. */
export async function askForBackup(
  effect: Effect,
  keyring: Secrets,
  backup: BackupRow,
  store: StoreTarget,
): Promise<void> {
  const { id, organizationId, clusterId, environmentId, serviceId, volumeId, objectKey } = backup;
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
        store,
        objectKey,
      },
    },
  );
}
