import type { OrganizationAction, RetiredAction } from '../../../domain/audit-actions.ts';
import { subjects } from '../../../domain/subjects.ts';
import { asSentence } from '../../components/forms/operation/values.ts';
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

const verbs = ['created', 'renamed', 'deleted', 'restored', 'purged', 'revoked'] as const;
type Verb = (typeof verbs)[number];
type Plain<Kind extends string> = Readonly<Record<Extract<OrganizationAction, `${Kind}.${Verb}`>, Deed>>;

/** Words for those actions of a kind that need no other ones: "deleted the team Core" of `plainDeeds('team', 'the team')`. */
export function plainDeeds<Kind extends keyof typeof subjects>(kind: Kind, thing: string): Plain<Kind> {
  const { actions = [] }: { actions?: readonly string[] } = { actions: [], ...subjects[kind] };
  const words = verbs.filter((verb) => actions.includes(verb)).map((verb) => [`${kind}.${verb}`, deedOf(verb, thing)]);
  return Object.fromEntries(words);
}

/** Words that end with the name of the thing, and with those details that are recorded: `{ role: ' with the role ' }`. */
export function plainDeed(label: string, words: string, more: Readonly<Record<string, string>> = {}): Deed {
  const told = (details: About['details']) =>
    Object.entries(more).map(([field, before]) => after(before, details[field]));
  return { label, done: ({ name, details }) => [words, ` ${name}`, ...told(details)].join('') };
}

/** Words for a thing whose workflow failed: those of the deed, and why. */
export function failedDeed(label: string, words: string): Deed {
  return plainDeed(label, words, { message: ': ' });
}

function deedOf(verb: Verb, thing: string): Deed {
  const label = asSentence(verb);
  if (verb !== 'renamed') return plainDeed(label, `${verb} ${thing}`);
  return {
    label,
    done: ({ name, details }) => `renamed ${thing} ${said(details.from) || name}${after(' to ', details.to)}`,
  };
}

/** Words for the rest of what becomes of a thing that is deleted with a clock. */
export function clockDeeds<Kind extends 'service' | 'volume' | 'environment' | 'project' | 'organization'>(
  kind: Kind,
  thing: string,
) {
  const words = {
    [`${kind}.purge_requested`]: plainDeed('Purge requested', `requested the purge of ${thing}`),
    [`${kind}.deletion_failed`]: failedDeed('Purge failed', `could not purge ${thing}`),
  };
  return words as Readonly<Record<`${Kind}.${'purge_requested' | 'deletion_failed'}`, Deed>>;
}

/** Words for the change of a set of others, such as the members of a team, recorded as `added` and `removed`. */
export function setDeed(item: string, thing: string): Deed {
  const done = ({ name, details: { added, removed } }: About) => {
    const some = (value: unknown) => Array.isArray(value) && value.length > 0;
    const changes = list([
      some(added) && `added ${count(added, item)}`,
      some(removed) && `removed ${count(removed, item)}`,
    ]);
    return changes === '' ? `did not change the ${item}s of ${thing} ${name}` : `${changes} in ${thing} ${name}`;
  };
  return { label: `${asSentence(item)}s changed`, done };
}

/** Words for a change of some fields. */
export function updatedDeed(thing: string): Deed {
  return plainDeed('Changed', `changed ${thing}`);
}
