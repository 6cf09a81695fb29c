import { type ChangeSetState, isChangeSetOver } from '../../domain/change-sets/items.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields } from '../parse.ts';
import type { ChangeSetInput } from './descriptor.ts';

export const changeSetMessages = {
  /** Its approval was decided: the row says how. */
  decided: fields({}),
  /** One of its deployments, or of the builds that it waits for, is over. */
  deploymentEnded: fields({}),
} satisfies Messages;
export type ChangeSetMessage = MessageOf<typeof changeSetMessages>;

/** The answer to the query `view`. */
export interface ChangeSetActor {
  state: ChangeSetState;
  revision: number;
  /** Something happened that the row may show by now. */
  woken: boolean;
  heard: readonly string[];
}

const remembered = 200;

export function begin({ state = 'applying', revision = 0, heard = [] }: ChangeSetInput): ChangeSetActor {
  return { state, revision, heard, woken: true };
}

/** The input of a run that continues from here. */
export function inputFrom(input: ChangeSetInput, { state, revision, heard }: ChangeSetActor): ChangeSetInput {
  return { ...input, state, revision, heard: [...heard] };
}

export function hear(actor: ChangeSetActor, { told }: ChangeSetMessage): ChangeSetActor {
  if (actor.heard.includes(told.id)) return actor;
  return { ...actor, woken: true, heard: [...actor.heard, told.id].slice(-remembered) };
}

/** The word of the database about the row, which counts. */
export function adopt(actor: ChangeSetActor, row: { state: ChangeSetState; revision: number }): ChangeSetActor {
  return { ...actor, state: row.state, revision: row.revision };
}

export function asked(actor: ChangeSetActor): ChangeSetActor {
  return { ...actor, woken: false };
}

export function isOver({ state }: ChangeSetActor): boolean {
  return isChangeSetOver(state);
}
