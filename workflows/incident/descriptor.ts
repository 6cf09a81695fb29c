import type { ActorDescriptor, PlainRow, WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import type { AttemptsInput } from '../../domain/actors/actors.ts';
import { isoOf, numberOf, textOf } from '../../domain/actors/actors.ts';
import { incidentWords } from './words.ts';

/**
 * Triggering until the pager has taken the trigger, open while the thing is wrong, resolving until the pager knows that it is
 * well; dropped when its channel is deleted, or disabled while something is on its way.
 */
export const incidentStates = ['triggering', 'open', 'resolving', 'resolved', 'failed', 'dropped'] as const;
export type IncidentState = (typeof incidentStates)[number];

const final = ['resolved', 'failed', 'dropped'] as const satisfies readonly IncidentState[];

export function isIncidentOver(state: IncidentState): boolean {
  return final.some((one) => one === state);
}

/** Ids alone: the message and the way to its channel are read for each attempt. */
export interface IncidentInput extends AttemptsInput {
  incidentId: string;
  organizationId: string;
  state?: IncidentState;
}

export const incidentDescriptor = {
  kind: 'incident',
  workflow: 'incident',
  table: 'incident',
  belongsTo: 'notification_channel',
  hint: 'notification_channel',
  lives: 'once',
  states: incidentStates,
  final,
  ends: { resolved: 'succeeded', failed: 'failed', dropped: 'cancelled' } satisfies Record<
    (typeof final)[number],
    WorkflowEnd
  >,
  stages: [
    { name: 'trigger', title: 'Trigger', states: ['triggering'] },
    { name: 'open', title: 'Open', states: ['open'] },
    { name: 'resolve', title: 'Resolve', states: ['resolving'] },
  ],
  // As the list of what was sent, which tells of all projects.
  readBy: { role: 'admin', projectTokens: false },
  gone: 'dropped',
  row: {
    name: "concat(channel.label, ': ', actor.title)",
    join: `join notification_channel channel
      on channel.organization_id = actor.organization_id and channel.id = actor.notification_channel_id`,
    overdue: `actor.state <> 'open' and
      coalesce(actor.next_attempt_at, actor.resolved_at, actor.created_at) < now() - interval '15 minutes'`,
    rests: "actor.state = 'open' and actor.resolved_at is null",
    unheard: { where: "actor.state = 'open' and actor.resolved_at < now() - interval '60 seconds'" },
  },
  input: {
    from: (row): IncidentInput => ({
      incidentId: textOf(row.id),
      organizationId: textOf(row.organization_id),
      state: incidentStates.find((state) => state === row.state) ?? 'triggering',
      revision: numberOf(row.revision),
      ...due(row),
    }),
  },
  interrupted: (how) => `The workflow of this incident ${how}; resolve it at the pager if it is open there.`,
  purge: { keeps: [] },
  activities: ['attemptIncident', 'failIncident'],
  readByRequester: false,
  words: incidentWords,
} as const satisfies ActorDescriptor;

function due(row: PlainRow): Pick<AttemptsInput, 'dueAt'> {
  if (row.state === 'open') return row.resolved_at === null ? { dueAt: null } : {};
  return row.next_attempt_at === null ? {} : { dueAt: isoOf(row.next_attempt_at) };
}
