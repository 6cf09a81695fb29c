import type { OrganizationAction, RetiredAction } from '../../../domain/audit-actions.ts';
import { periodText } from '../../components/times/durations.ts';

export interface Deed {
  /** Label in the filter, below its subject: "Renamed", below "Teams". */
  label: string;
  /** The predicate after the actor's name: "renamed the team Core to Platform". */
  done: (record: About) => string;
}

export interface About {
  /** Name of the subject. */
  name: string;
  details: Record<string, unknown>;
  /** Whether actor and subject are the same person. */
  itself: boolean;
}

type Action = OrganizationAction | RetiredAction;

/** Names of kinds of things, as headings of their actions. */
export type Kinds<Kind extends string> = Record<Kind, string>;

/** Words for every action of a kind: one that is missing does not compile. */
export type Deeds<Kind extends string> = Readonly<Record<Extract<Action, `${Kind}.${string}`>, Deed>>;

export function said(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** `before` and the text, if there is one. */
export function after(before: string, value: unknown): string {
  const text = said(value);
  return text === '' ? '' : `${before}${text}`;
}

/** As in " from Core to Platform". */
export function fromTo({ from, to }: About['details'], unitMillis?: number): string {
  const text = (value: unknown) =>
    typeof value === 'number' && unitMillis !== undefined ? periodText(value * unitMillis) : value;
  return after(' from ', text(from)) + after(' to ', text(to));
}

/** The change of one field, if it is recorded. */
export function change(details: About['details'], field: string): { from: unknown; to: unknown } | undefined {
  const found = details[field];
  return typeof found === 'object' && found !== null && 'from' in found && 'to' in found
    ? { from: found.from, to: found.to }
    : undefined;
}

export function list(parts: readonly (string | false | undefined)[]): string {
  const said = parts.filter((part) => typeof part === 'string');
  const last = said.pop();
  return said.length === 0 ? (last ?? '') : `${said.join(', ')} and ${last}`;
}

export function count(value: unknown, one: string): string {
  const number = Array.isArray(value) ? value.length : Number(value);
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}

export function why({ message }: About['details']): string {
  return after(': ', message);
}
