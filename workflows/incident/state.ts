import type { AttemptSays } from '../../domain/actors/actors.ts';
import { type Attempts, adopt as adoptRow, ask, begin as beginAttempts, hear as note } from '../attempts.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields } from '../parse.ts';
import type { IncidentInput, IncidentState } from './descriptor.ts';

export const incidentMessages = {
  /** The thing is well again: the row says so already. */
  resolved: fields({}),
  /** Its channel has a new secret, or somebody does not want to wait. */
  tryAgain: fields({}),
} satisfies Messages;
export type IncidentMessage = MessageOf<typeof incidentMessages>;

/** Also the answer to the query `view`. */
export interface IncidentActor extends Attempts<IncidentState> {
  /** The resolve follows as soon as the pager has the trigger, whose retries go on until then. */
  resolved: boolean;
}

export function begin(input: IncidentInput): IncidentActor {
  return { ...beginAttempts(input, input.state ?? 'triggering'), resolved: false };
}

export function hear(actor: IncidentActor, { message, told }: IncidentMessage): IncidentActor {
  if (actor.heard.includes(told.id)) return actor;
  const noted = { ...note(actor, told), resolved: actor.resolved || message === 'resolved' };
  // An open incident has nothing to try until it is resolved.
  const due = message === 'resolved' ? actor.state === 'open' : actor.state !== 'open';
  return due ? { ...ask(noted), resolved: noted.resolved } : noted;
}

export function adopt(actor: IncidentActor, row: AttemptSays<IncidentState>, now: number): IncidentActor {
  const adopted = adoptRow<IncidentState, IncidentActor>(actor, row, now);
  // The row may have become open just before it was resolved. A wait that is told is for the turn of the resolve.
  const isOpen = adopted.state === 'open' && row.waitMillis === null;
  return isOpen ? { ...adopted, dueAt: adopted.resolved ? now : null } : adopted;
}
