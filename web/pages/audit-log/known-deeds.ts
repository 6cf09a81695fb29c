import { subjects } from '../../../domain/subjects.ts';
import type { Deed } from './deed.ts';

/**
 * The words of every subject, found by its folder. Loaded with the log, and where somebody reads what was done: no other page
 * waits for them. `audit-words.test.ts` names an action without words.
 */
const found = Object.values(
  import.meta.glob<{ deeds: Record<string, Deed>; kinds: Record<string, string> }>('../*/deeds.ts', { eager: true }),
);

export const knownDeeds: ReadonlyMap<string, Deed> = new Map(found.flatMap(({ deeds }) => Object.entries(deeds)));
/** Names of kinds of things. */
const kindNames: ReadonlyMap<string, string> = new Map(found.flatMap(({ kinds }) => Object.entries(kinds)));

export interface KindOfDeeds {
  kind: string;
  name: string;
  deeds: readonly [action: string, deed: Deed][];
}

/** Kinds of things with their actions, in the order in which they are offered: that of domain/subjects.ts. */
export function kindsOfDeeds(): KindOfDeeds[] {
  return Object.keys(subjects).flatMap((kind) => {
    const name = kindNames.get(kind);
    if (name === undefined) return [];
    return [{ kind, name, deeds: [...knownDeeds].filter(([action]) => action.startsWith(`${kind}.`)) }];
  });
}
