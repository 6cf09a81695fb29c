import type { ActorDescriptor, ActorInput } from './actor-descriptor.ts';

/** An actor's id is `<kind>/<id of its row>`. Which kinds there are says workflows/descriptors.ts. */
export type ActorId = `${string}/${string}`;

export function actorId(kind: string, rowId: string): ActorId {
  return `${kind}/${rowId}`;
}

export function parseActorId(id: string): { kind: string; rowId: string } | undefined {
  const [kind, rowId, ...rest] = id.split('/');
  if (kind === undefined || kind === '' || rowId === undefined || rowId === '' || rest.length > 0) return undefined;
  return { kind, rowId };
}

/** The column of an actor's row that holds the id of the thing that it belongs to. */
export function columnOf(belongsTo: string): string {
  return `${belongsTo}_id`;
}

/** The column whose id the hints about a row tell: of the thing that it belongs to if they are of its kind. */
export function hintColumn({ hint, belongsTo }: Pick<ActorDescriptor, 'hint' | 'belongsTo'>): string {
  return hint === belongsTo ? columnOf(belongsTo) : 'id';
}

/** The part of an input that says when the next attempt is due: a time as ISO 8601, or null for one that waits for a message. */
export interface AttemptsInput extends ActorInput {
  dueAt?: string | null;
}

/** What the row says after an attempt. */
export interface AttemptSays<State extends string> {
  state: State;
  revision: number;
  /** Until the next one; null: not before a message. */
  waitMillis: number | null;
}

/**
 * The message that asks any actor to look at its row again, since it may have missed another one: Temporal was restored
 * to an older copy, or the row is final. Looking twice does no harm, so it need not count once.
 */
export const lookAgain = 'lookAgain';

/** Reads the columns of a row whose type is not known where it is read. A column of another kind is a fault of ours. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('The column holds no text.');
}

export function optionalTextOf(value: unknown): string | null {
  return value === null || value === undefined ? null : textOf(value);
}

export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new TypeError('The column holds no number.');
}

/** A time as ISO 8601. */
export function isoOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  throw new TypeError('The column holds no time.');
}
