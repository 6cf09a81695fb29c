import type { Deed } from './deed.ts';

/**
 * The words of every subject, found by its folder. Loaded with the log, and where somebody reads what was done: no other page
 * waits for them. `audit-words.test.ts` names an action without words.
 */
const found = Object.values(
  import.meta.glob<{ deeds: Record<string, Deed>; kinds: Record<string, string> }>('../*/deeds.ts', { eager: true }),
);

export const knownDeeds: ReadonlyMap<string, Deed> = new Map(found.flatMap(({ deeds }) => Object.entries(deeds)));
/** Of kinds of things. */
export const kindNames: ReadonlyMap<string, string> = new Map(found.flatMap(({ kinds }) => Object.entries(kinds)));
