import type { QueryKey } from '@tanstack/react-query';
import { type HintKind, isHintKind } from '../../domain/hints.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import type { Plane } from '../control-plane/plane.ts';
import type { Hint } from './event-stream.ts';

type Operations = Plane['trpc'];

/** For each kind of thing that the event stream names: the operations whose answers may have changed. */
export type Affected<Kind extends HintKind> = Readonly<Record<Kind, (trpc: Operations) => QueryKey[]>>;

/** The kinds of hints about actors: the pages of workflows show them all. */
const ofActor: ReadonlySet<string> = new Set(Object.values(descriptors).map(({ hint }) => hint));

const affectedBy: Partial<Affected<HintKind>> = {};

/** Subjects register here what their hints touch (web/subjects.ts). */
export function registerAffected(affected: Partial<Affected<HintKind>>): void {
  Object.assign(affectedBy, affected);
}

/** Unknown kinds come from a newer control plane and concern nothing that this console shows. */
export function affectedKeys(trpc: Operations, hints: readonly Hint[]): QueryKey[] {
  // Every change leaves an audit record.
  const keys = new Map<string, QueryKey>([['audit log', trpc.auditLog.pathKey()]]);
  for (const kind of new Set(hints.map((hint) => hint.kind))) {
    if (!isHintKind(kind)) continue;
    const ofActors = ofActor.has(kind) ? [trpc.workflows.pathKey()] : [];
    for (const key of [...(affectedBy[kind]?.(trpc) ?? []), ...ofActors]) keys.set(JSON.stringify(key), key);
  }
  return [...keys.values()];
}

/** Whether a hint may have changed the person's organizations or roles. */
export function touchesSession(hints: readonly Hint[]): boolean {
  return hints.some(({ kind }) => kind === 'member' || kind === 'organization' || kind === 'deletion');
}
