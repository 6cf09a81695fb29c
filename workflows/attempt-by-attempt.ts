import { condition } from '@temporalio/workflow';
import type { AttemptSays } from '../domain/actors/actors.ts';
import { type Attempts, isDue } from './attempts.ts';
import type { Frame } from './frame.ts';
import { showPhase } from './phase.ts';

/** The parts of an actor that makes attempts. */
export interface Attempting<State extends string> {
  /** Where it stands, with all messages that have come. */
  now(): Attempts<State>;
  /** Makes the one that is due. */
  attempt(): Promise<AttemptSays<State>>;
  isOver(state: State): boolean;
}

/** One attempt after another, each when it is due, until the row is over. */
export async function attemptByAttempt<State extends string>(
  frame: Frame,
  { now, attempt, isOver }: Attempting<State>,
): Promise<State> {
  while (!isOver(now().state)) {
    const { state, dueAt } = now();
    const woken = () => frame.isDue || now().dueAt !== dueAt;
    if (dueAt === null) await condition(woken);
    else if (dueAt > Date.now()) await condition(woken, dueAt - Date.now());
    if (frame.isDue) await frame.attend();
    if (!isDue(now(), Date.now())) continue;
    const says = await attempt();
    if (says.state !== state) showPhase(says.state);
  }
  return now().state;
}
