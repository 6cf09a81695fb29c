import type { QueryKey } from '@tanstack/react-query';
import { type HintKind, isHintKind } from '../../domain/hints.ts';
import type { Plane } from '../control-plane/plane.ts';
import type { Hint } from './event-stream.ts';

type Operations = Plane['trpc'];
interface Keyed {
  pathKey(): readonly unknown[];
}

/** Queries whose answers a hint may have changed: all whose keys begin so, or of these the ones that `which` leaves. */
export interface Touched {
  key: QueryKey;
  /**
   * `id`: of a paginated list the page that has the id, or the one where new things appear; none of the queries of another
   * thing. `held`: of a paginated list the pages with a thing that names the id, such as a team its members. `new`: of a
   * paginated list the page where new things appear.
   */
  which: { id: string } | { held: string } | 'new' | 'all';
}

/** Answers that show this one thing: its own, and its place in lists. */
export function one({ pathKey }: Keyed, id: string): Touched {
  return { key: pathKey(), which: { id } };
}

/** Answers with things that name this one among others. What comes to name it has a hint of its own. */
export function holding({ pathKey }: Keyed, id: string): Touched {
  return { key: pathKey(), which: { held: id } };
}

/** Lists that get new items, and whose items never change. */
export function grown({ pathKey }: Keyed): Touched {
  return { key: pathKey(), which: 'new' };
}

export function all({ pathKey }: Keyed): Touched {
  return { key: pathKey(), which: 'all' };
}

/** For each kind of thing that the event stream names: the answers that may have changed with the thing of this id. */
export type Affected<Kind extends HintKind> = Readonly<Record<Kind, (trpc: Operations, id: string) => Touched[]>>;

/**
 * The kinds of hints about actors: the pages of workflows show them all. Descriptors hold many words, so they come beside the
 * first page; until then, any hint may be one.
 */
let ofActor: ReadonlySet<string> | undefined;
void import('../../workflows/descriptors.ts').then(
  ({ descriptors }) => {
    ofActor = new Set(Object.values(descriptors).map(({ hint }) => hint));
  },
  () => undefined,
);

const affectedBy: Partial<Affected<HintKind>> = {};

/** Subjects register here what their hints touch (web/subjects.ts). */
export function registerAffected(affected: Partial<Affected<HintKind>>): void {
  Object.assign(affectedBy, affected);
}

/** Each once. Unknown kinds come from a newer control plane and concern nothing that this console shows. */
export function touchedBy(trpc: Operations, hints: readonly Hint[]): Touched[] {
  // Every change leaves an audit record.
  const touched: Touched[] = [grown(trpc.auditLog)];
  for (const { kind, id } of hints) {
    if (!isHintKind(kind)) continue;
    touched.push(...(affectedBy[kind]?.(trpc, id) ?? []));
    if (ofActor?.has(kind) !== false) touched.push(one(trpc.workflows, id), all(trpc.attention));
  }
  return [...new Map(touched.map((each) => [JSON.stringify(each), each])).values()];
}

/** Whether a hint may have changed the person's organizations or roles. */
export function touchesSession(hints: readonly Hint[]): boolean {
  return hints.some(({ kind }) => kind === 'member' || kind === 'organization' || kind === 'deletion');
}
