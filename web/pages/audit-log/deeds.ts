import { subjects } from '../../../domain/subjects.ts';
import type { Answers } from '../../control-plane/session.ts';
import type { About, Deed } from './deed.ts';

export type AuditRecord = Answers['auditLog']['list']['items'][number];

export function aboutOf({ subject, details = {}, actor }: AuditRecord): About {
  return { name: subject.name ?? subject.id, details, itself: actor.id === subject.id };
}

const known = new Map<string, Deed>();
const names = new Map<string, string>();

/**
 * Subjects register their words here (web/subjects.ts), so that the log knows none of them. The kinds of a subject have names
 * of their own, or all the one of its place.
 */
export function registerDeeds(
  deeds: Readonly<Record<string, Deed>>,
  kinds: Readonly<Record<string, string>> | string | undefined,
): void {
  for (const [action, deed] of Object.entries(deeds)) {
    known.set(action, deed);
    if (typeof kinds === 'string') names.set(action.slice(0, action.indexOf('.')), kinds);
  }
  if (typeof kinds === 'object') for (const [kind, name] of Object.entries(kinds)) names.set(kind, name);
}

/** A log may hold actions of a newer control plane. */
export function deedFor(action: string): Deed | undefined {
  return known.get(action);
}

export interface KindOfThing {
  kind: string;
  name: string;
  deeds: readonly [action: string, deed: Deed][];
}

/** Kinds of things with their actions, in the order in which they are offered: that of domain/subjects.ts. */
export function kindsOfThings(): KindOfThing[] {
  return Object.keys(subjects).flatMap((kind) => {
    const name = names.get(kind);
    if (name === undefined) return [];
    return [{ kind, name, deeds: [...known].filter(([action]) => action.startsWith(`${kind}.`)) }];
  });
}
