import type { ActorDescriptor, ActorInput, WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import { isoOf, numberOf, textOf } from '../../domain/actors/actors.ts';
import { isThingKind, type ThingKind } from '../../domain/deletions/kinds.ts';
import { deletionWords } from './words.ts';

/**
 * The states of a deletion: retained until its time has passed or its purge is requested; purging from the claim on,
 * after which nothing can be restored.
 */
export const deletionStates = ['retained', 'purging', 'purged', 'restored', 'failed'] as const;
export type DeletionState = (typeof deletionStates)[number];

const final = ['purged', 'restored', 'failed'] as const satisfies readonly DeletionState[];

export function isDeletionOver(state: DeletionState): boolean {
  return final.some((one) => one === state);
}

/** All of it stands in the deletion's row, so that a lost actor can be started again. */
export interface DeletionInput extends ActorInput {
  deletionId: string;
  organizationId: string;
  state?: DeletionState;
  /** The part of the organization that is deleted; absent: the organization itself. */
  thing?: ThingKind;
  /** Until when it may be restored: a time as ISO 8601. */
  restoreUntil: string;
  purgeRequested?: boolean;
}

export const deletionDescriptor = {
  kind: 'deletion',
  workflow: 'deletion',
  table: 'deletion',
  // The row tells of what was deleted after its purge.
  belongsTo: null,
  hint: 'deletion',
  lives: 'once',
  states: deletionStates,
  final,
  ends: { purged: 'succeeded', restored: 'succeeded', failed: 'failed' } satisfies Record<
    (typeof final)[number],
    WorkflowEnd
  >,
  stages: [
    { name: 'retention', title: 'Retention', states: ['retained'] },
    { name: 'purge', title: 'Purge', states: ['purging'] },
  ],
  readBy: { role: 'admin', projectTokens: false },
  gone: 'purged',
  row: {
    name: 'actor.name',
    requested: true,
    subjectId: 'coalesce(actor.subject_id, actor.organization_id)',
    overdue: "actor.state = 'retained' and actor.restore_until < now() - interval '1 minute'",
    rests: "actor.state = 'retained'",
    unheard: {
      // One that is purging is at work, unless Temporal has forgotten that it had claimed its row; one with a message waits.
      where:
        "actor.state = 'purging' and actor.message is null or actor.state = 'retained' and actor.purge_requested_at is not null",
    },
  },
  input: {
    from: (row): DeletionInput => ({
      deletionId: textOf(row.id),
      organizationId: textOf(row.organization_id),
      state: deletionStates.find((state) => state === row.state) ?? 'retained',
      revision: numberOf(row.revision),
      restoreUntil: isoOf(row.restore_until),
      purgeRequested: row.purge_requested_at !== null,
      ...(isThingKind(textOf(row.kind)) ? { thing: textOf(row.kind) as ThingKind } : {}),
    }),
  },
  interrupted: (how) =>
    `The workflow of this deletion ${how} before it finished; restore what was deleted, or delete it for good.`,
  purge: { keeps: ['outbox', 'history_archive'] },
  activities: ['claimPurge', 'purgeOrganization', 'purgeThing', 'finishDeletion'],
  readByRequester: true,
  words: deletionWords,
} as const satisfies ActorDescriptor;
