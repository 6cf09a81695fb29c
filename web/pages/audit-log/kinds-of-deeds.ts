import { subjects } from '../../../domain/subjects.ts';
import type { Deed } from './deed.ts';
import { kindNames, knownDeeds } from './known-deeds.ts';

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
