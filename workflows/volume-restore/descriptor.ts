import type { ActorDescriptor, WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import { numberOf, textOf } from '../../domain/actors/actors.ts';
import {
  type FinalTransferState,
  finalTransferStates,
  type TransferInput,
  transferStates,
} from '../../domain/volume-backups/states.ts';
import { volumeRestoreWords } from './words.ts';

/** So long may a restore take until people are told that it is stuck. */
const longestSeconds = 86_400;

/** All of it stands in the restore's row. */
export interface VolumeRestoreInput extends TransferInput {
  restoreId: string;
}

export const volumeRestoreDescriptor = {
  kind: 'volume-restore',
  workflow: 'volumeRestore',
  table: 'volume_restore',
  belongsTo: 'cluster',
  hint: 'volume_restore',
  lives: 'once',
  states: transferStates,
  final: finalTransferStates,
  ends: {
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
  } satisfies Record<FinalTransferState, WorkflowEnd>,
  stages: [
    { name: 'queue', title: 'Queue', states: ['queued'] },
    { name: 'restore', title: 'Restore', states: ['running'] },
  ],
  readBy: { role: 'viewer', projectTokens: false },
  gone: 'cancelled',
  row: {
    name: "concat(actor.volume_name, ' (', actor.service_name, ', ', actor.environment_name, ')')",
    subjectId: 'actor.environment_id',
    requested: true,
    overdue: `actor.started_at < now() - make_interval(secs => ${longestSeconds})`,
    unheard: {
      where: `actor.cancel_requested_at < now() - interval '60 seconds' or exists (
        select from cluster_command command
        where command.id = actor.id and command.finished_at < now() - interval '60 seconds')`,
    },
  },
  input: {
    from: (row): VolumeRestoreInput => ({
      restoreId: textOf(row.id),
      organizationId: textOf(row.organization_id),
      state: transferStates.find((state) => state === row.state) ?? 'queued',
      revision: numberOf(row.revision),
      cancelRequested: row.cancel_requested_at !== null,
    }),
  },
  interrupted: (how) =>
    `The workflow of this restore ${how} before it finished; look at the data of the volume, then restore again.`,
  purge: { keeps: [] },
  activities: ['claimVolumeRestore', 'stopVolumeRestore', 'finishVolumeRestore'],
  readByRequester: false,
  words: volumeRestoreWords,
} as const satisfies ActorDescriptor;
