import type { AttemptSays, AttemptsInput } from '../domain/actors/actors.ts';
import type { ReceivedMessage } from './message.ts';

/** Where an actor stands that makes attempts until one succeeds. */
export interface Attempts<State extends string> {
  state: State;
  revision: number;
  /** In milliseconds since 1970; null: not before a message. */
  dueAt: number | null;
  /** An attempt was asked for since the last one began. */
  asked: boolean;
  heard: readonly string[];
}

const remembered = 200;
/** Due since long. */
const atOnce = 0;

export function begin<State extends string>(
  { revision = 0, heard = [], dueAt }: AttemptsInput,
  state: State,
): Attempts<State> {
  const due = dueAt === undefined ? atOnce : dueAt === null ? null : Date.parse(dueAt);
  return { state, revision, dueAt: due, asked: false, heard };
}

/** The part of the input of a run that continues from here. */
export function inputOf<State extends string>({ state, revision, dueAt, heard }: Attempts<State>) {
  return { state, revision, dueAt: dueAt === null ? null : new Date(dueAt).toISOString(), heard: [...heard] };
}

/** A message counts once. */
export function hear<State extends string>(attempts: Attempts<State>, { id }: ReceivedMessage): Attempts<State> {
  return { ...attempts, heard: [...attempts.heard, id].slice(-remembered) };
}

/** The next attempt is due now. */
export function ask<State extends string>(attempts: Attempts<State>): Attempts<State> {
  return { ...attempts, asked: true, dueAt: atOnce };
}

/** From here on, whatever is asked for concerns the attempt after this one. */
export function beginAttempt<A extends Attempts<string>>(attempts: A): A {
  return { ...attempts, asked: false };
}

/** The row counts. */
export function adopt<State extends string, A extends Attempts<State>>(
  attempts: A,
  { state, revision, waitMillis }: AttemptSays<State>,
  now: number,
): A {
  const dueAt = attempts.asked ? atOnce : waitMillis === null ? null : now + waitMillis;
  return { ...attempts, state, revision, dueAt };
}

export function isDue({ dueAt }: Attempts<string>, now: number): boolean {
  return dueAt !== null && dueAt <= now;
}
