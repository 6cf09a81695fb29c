import type { ActorDescriptor } from '../../domain/actors/actor-descriptor.ts';
import { isoOf, numberOf, textOf } from '../../domain/actors/plain-row.ts';
import { deletionStates, isDeletionOver } from '../../domain/deletions/deletions.ts';
import type { DeletionInput } from './messages.ts';
import { deletionWords } from './words.ts';

export const deletionDescriptor = {
  kind: 'deletion',
  workflow: 'deletion',
  table: 'deletion',
  hint: 'deletion',
  lives: 'once',
  states: deletionStates,
  final: deletionStates.filter(isDeletionOver),
  gone: 'purged',
  row: {
    name: 'actor.name',
    subjectId: 'actor.organization_id',
    overdue: "actor.state = 'retained' and actor.restore_until < now() - interval '1 minute'",
    unheard: {
      // One that is purging is at work, unless Temporal has forgotten that it had claimed its row.
      where: "actor.state = 'purging' or actor.state = 'retained' and actor.purge_requested_at is not null",
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
    }),
  },
  interrupted: (how) =>
    `The workflow of this deletion ${how} before it finished; restore the organization or delete it for good.`,
  purge: { keeps: ['outbox', 'history_archive'] },
  activities: ['claimPurge', 'purgeOrganization', 'finishDeletion'],
  readByRequester: true,
  words: deletionWords,
} as const satisfies ActorDescriptor;
