import { sql } from 'kysely';
import { cancelCommand, commandView } from '../db/commands/cluster-commands.ts';
import { type Effect, effect } from '../db/engine/effect.ts';
import { project } from '../db/engine/projection.ts';
import { storeTargetOf } from '../db/object-stores/object-stores.ts';
import {
  askForBackup,
  type BackupRow,
  callNextBackup,
  lockBackup,
  lockBackupTurns,
  refusedBackupTurn,
} from '../db/volume-backups/claim.ts';
import { answerTo, rowSays } from '../db/workflows/actor-rows.ts';
import type { RowSays } from '../domain/actors/actor-descriptor.ts';
import { type CommandEnded, isCommandOver } from '../domain/clusters/clusters.ts';
import {
  type FinalVolumeBackupState,
  finalVolumeBackupStates,
  type VolumeBackupState,
} from '../domain/volume-backups/states.ts';
import { openGivenBucket } from '../outbound/s3/given-bucket.ts';
import type { S3Client } from '../outbound/s3/s3-client.ts';
import { storedArchive } from '../protocol/volume.ts';
import { actorAuthor } from './caller.ts';
import type { ActivityParts } from './index.ts';

interface Ref {
  backupId: string;
  organizationId: string;
}

/** The answer of an activity that writes to the row; the revision is that of the row then. */
export type VolumeBackupSays = RowSays & { state: VolumeBackupState; revision: number; message?: string };

/** Activities of a volume's backup. Each may run twice. */
export function createActivities({ database, keyring, outbound }: ActivityParts) {
  return {
    /** Its turn, if it has come: then the agent is asked. Of one that is running, how the agent's part has ended, if it has. */
    async claimVolumeBackup({
      backupId,
      revision,
    }: Ref & { revision: number }): Promise<VolumeBackupSays & { ended: CommandEnded | null }> {
      return await effect(database, actorAuthor(), async (claiming) => {
        await lockBackupTurns(claiming, backupId);
        const backup = await lockBackup(claiming, backupId);
        // Its turn is the next one's.
        if (backup?.finished === true) await callNextBackup(claiming, backup.clusterId);
        if (backup === undefined || backup.finished || backup.revision > revision) {
          return {
            ...says(await rowSays(claiming.kysely, 'volume-backup', backupId, revision), revision),
            ended: null,
          };
        }
        const { state, organizationId, clusterId } = backup;
        if (state === 'running') {
          const command = await commandView(claiming.kysely, { id: clusterId, organizationId }, backupId);
          const over = command === undefined || isCommandOver(command.state);
          const ended = over
            ? { state: command?.state ?? ('failed' as const), message: command?.message ?? null }
            : null;
          return { state, revision: backup.revision, ended };
        }
        const message = await refusedBackupTurn(claiming, backup);
        if (message !== undefined) {
          if (message !== backup.message) await set(claiming, backup, { message });
          return { state, revision: backup.revision, message, ended: null };
        }
        const projection = { state: 'running', revision, set: { message: null } } as const;
        await project(claiming.kysely, 'volume-backup', backupId, projection, database.raiseAlarm);
        await set(claiming, backup, { started_at: sql<Date>`now()` });
        const store = await storeTargetOf(claiming.kysely, keyring, storeOf(backup), outbound);
        await askForBackup(claiming, keyring, backup, store);
        return { state: 'running', revision, ended: null };
      });
    },

    async stopVolumeBackup({ backupId, organizationId }: Ref): Promise<void> {
      await effect(database, actorAuthor(), async (stopping) => {
        const backup = await lockBackup(stopping, backupId);
        if (backup !== undefined) await cancelCommand(stopping, { id: backup.clusterId, organizationId }, backupId);
      });
    },

    /** Whether the store has what the agent told, which is written down beside it: a restore checks all of that. */
    async confirmVolumeBackup({ backupId }: Ref): Promise<{ fault?: string }> {
      const backup = await lockBackup(database, backupId);
      const stored = await storedOf(backupId);
      if (backup === undefined || stored === undefined)
        return { fault: 'The agent did not say what it has stored; back up again.' };
      const { id, organizationId, environmentId, serviceId, volumeId, objectKey } = backup;
      const { sha256, sizeBytes, archiveBytes } = stored;
      return await withBucket(backup, async (bucket) => {
        const size = await bucket.size(objectKey);
        if (size === undefined)
          return { fault: 'The store does not have the object that the agent stored; back up again.' };
        if (size !== sizeBytes) {
          return { fault: `The store has ${size} bytes of an object of ${sizeBytes}; back up again.` };
        }
        const about = {
          ...{
            backup: id,
            organization: organizationId,
            environment: environmentId,
            service: serviceId,
            volume: volumeId,
          },
          ...{ format: 'tar+zstd', sha256, sizeBytes, archiveBytes },
        };
        await bucket.put(`${objectKey}.json`, { pieces: [Buffer.from(JSON.stringify(about))] });
        return {};
      });
    },

    /** Deletes what an agent that was killed may have left: the object, and parts of its upload. */
    async clearVolumeBackup({ backupId }: Ref): Promise<void> {
      const backup = await lockBackup(database, backupId);
      // An agent that was never asked has left nothing.
      if (backup === undefined || !(await wasAsked(backup))) return;
      await withBucket(backup, async (bucket) => {
        for await (const uploads of bucket.listMultipart(backup.objectKey)) {
          for (const { key, uploadId } of uploads) await bucket.abortMultipart(key, uploadId);
        }
        await bucket.delete(backup.objectKey);
        await bucket.delete(`${backup.objectKey}.json`);
      });
    },

    /** Writes its end, and calls whose turn it is then. `lastWord`: the actor ends with it, whatever the row's revision. */
    async finishVolumeBackup({
      backupId,
      revision,
      state,
      message,
      lastWord = false,
    }: Ref & {
      revision: number;
      state: FinalVolumeBackupState;
      message: string;
      lastWord?: boolean;
    }): Promise<VolumeBackupSays> {
      const stored = state === 'succeeded' ? await storedOf(backupId) : undefined;
      return await effect(database, actorAuthor(), async (finishing) => {
        await lockBackupTurns(finishing, backupId);
        const backup = await lockBackup(finishing, backupId);
        if (backup === undefined) return { state: 'cancelled', revision, over: true };
        const last = lastWord ? Math.max(revision, backup.revision) : revision;
        const projection = {
          ...{ state, revision: last, finished: true, last: lastWord },
          set: { message: message === '' ? null : message },
        };
        const projected = await project(finishing.kysely, 'volume-backup', backupId, projection, database.raiseAlarm);
        await callNextBackup(finishing, backup.clusterId);
        if (projected.result === 'refused') {
          const answer = await answerTo(finishing.kysely, 'volume-backup', backupId, { state, revision }, projected);
          return says(answer, backup.revision);
        }
        const { sha256, sizeBytes, archiveBytes, warnings } = stored ?? {};
        await set(finishing, backup, {
          ...(sha256 === undefined
            ? {}
            : { sha256, size_bytes: sizeBytes, stored_bytes: sizeBytes, archive_bytes: archiveBytes }),
          ...(warnings === undefined ? {} : { warnings: JSON.stringify(warnings) }),
        });
        return { state, revision: last };
      });
    },
  };

  async function set(changing: Effect, { id, organizationId, projectId }: BackupRow, columns: object): Promise<void> {
    if (Object.keys(columns).length > 0)
      await changing.kysely.updateTable('volume_backup').set(columns).where('id', '=', id).execute();
    changing.change({ organizationId, projectId, kind: 'volume_backup', id });
  }

  async function wasAsked({ id, organizationId, clusterId }: BackupRow): Promise<boolean> {
    return (await commandView(database.kysely, { id: clusterId, organizationId }, id)) !== undefined;
  }

  async function storedOf(backupId: string) {
    const command = await database.kysely
      .selectFrom('cluster_command')
      .select('stored')
      .where('id', '=', backupId)
      .executeTakeFirst();
    return storedArchive.safeParse(command?.stored).data;
  }

  async function withBucket<T>(backup: BackupRow, work: (bucket: S3Client) => Promise<T>): Promise<T> {
    const store = await storeTargetOf(database.kysely, keyring, storeOf(backup), outbound);
    const bucket = openGivenBucket(store, store);
    try {
      return await work(bucket);
    } finally {
      await bucket.close();
    }
  }
}

const storeOf = ({ organizationId, objectStoreId: id }: BackupRow) => ({ organizationId, id });

function says(row: RowSays, revision: number): VolumeBackupSays {
  const state =
    finalVolumeBackupStates.find((one) => one === row.state) ?? (row.state === 'running' ? 'running' : 'queued');
  return { ...row, state, revision };
}

export type VolumeBackupActivities = ReturnType<typeof createActivities>;
