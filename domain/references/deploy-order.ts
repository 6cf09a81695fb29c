/** The services that a service needs, by id: those that it depends on, and those that its variables refer to. */
export interface Needs {
  dependsOn: ReadonlySet<string>;
  refersTo: ReadonlySet<string>;
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Those of these services that each of them is deployed after, in an order in which each comes after its own. The way may
 * lead through services that are not among them. Services that refer to each other in a circle begin together, as far as
 * none depends on the other.
 */
export function deployOrder(needs: ReadonlyMap<string, Needs>, members: readonly string[]): Map<string, string[]> {
  const edges = withoutCircles(needs);
  const among = new Set(members);
  const before = new Map(members.map((id) => [id, nearest(edges, id, among)]));
  const ordered = new Map<string, string[]>();
  const put = (start: string): void => {
    const waiting = [start];
    for (let id = waiting.at(-1); id !== undefined; id = waiting.at(-1)) {
      const missing = (before.get(id) ?? []).filter((one) => !ordered.has(one));
      if (missing.length > 0) waiting.push(...missing);
      else {
        waiting.pop();
        ordered.set(id, before.get(id) ?? []);
      }
    }
  };
  for (const id of members) if (!ordered.has(id)) put(id);
  return ordered;
}

/** References in a circle order nothing; of dependencies there is no circle, and one that is there all the same orders nothing either. */
function withoutCircles(needs: ReadonlyMap<string, Needs>): Edges {
  const all = new Map([...needs].map(([id, { dependsOn, refersTo }]) => [id, new Set([...dependsOn, ...refersTo])]));
  const firm = new Map([...needs].map(([id, { dependsOn }]) => [id, dependsOn]));
  const reachable = reachableIn(all);
  const firmly = reachableIn(firm);
  return new Map(
    [...all].map(([id, others]) => {
      const kept = [...others].filter((other) => {
        const back = firm.get(id)?.has(other) === true ? firmly(other) : reachable(other);
        return other !== id && !back.has(id);
      });
      return [id, new Set(kept)];
    }),
  );
}

function reachableIn(edges: Edges): (from: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  return (from) => {
    const found = known.get(from) ?? walk(edges, from, () => true);
    known.set(from, found);
    return found;
  };
}

/** The members that are met first on the ways from one of them. */
function nearest(edges: Edges, from: string, members: ReadonlySet<string>): string[] {
  return [...walk(edges, from, (id) => !members.has(id))].filter((id) => members.has(id) && id !== from).toSorted();
}

/** All that is reached; the way goes on from where `through` says so. */
function walk(edges: Edges, from: string, through: (id: string) => boolean): Set<string> {
  const met = new Set<string>();
  const next = [...(edges.get(from) ?? [])];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (met.has(id)) continue;
    met.add(id);
    if (through(id)) next.push(...(edges.get(id) ?? []));
  }
  return met;
}
