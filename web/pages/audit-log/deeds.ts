import type { Deed } from './deed.ts';

export const knownDeeds = new Map<string, Deed>();
/** Of kinds of things. */
export const kindNames = new Map<string, string>();

/**
 * Subjects register their words here (web/subjects.ts), so that the log knows none of them. The kinds of a subject have names
 * of their own, or all the one of its place. Every page waits for this file: what the log makes of the words is not in it.
 */
export function registerDeeds(
  deeds: Readonly<Record<string, Deed>>,
  kinds: Readonly<Record<string, string>> | string | undefined,
): void {
  for (const [action, deed] of Object.entries(deeds)) {
    knownDeeds.set(action, deed);
    if (typeof kinds === 'string') kindNames.set(action.slice(0, action.indexOf('.')), kinds);
  }
  if (typeof kinds === 'object') for (const [kind, name] of Object.entries(kinds)) kindNames.set(kind, name);
}
