import { partialMatchKey, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query';

/** Queries that begin with a key, and what a change that is under way makes of their data. Made twice, it is the same. */
export interface Shown {
  queryKey: QueryKey;
  data: (before: never) => unknown;
}

/** Ends the showing: `done` when the control plane has made the change, else the data is as it was answered. */
type End = (done: boolean) => void;

/**
 * Shows a change before its answer is here, also over data that arrives meanwhile: an event of somebody else refetches what
 * is shown, and that answer may be older than the change.
 */
export function showMeanwhile(queryClient: QueryClient, shown: readonly Shown[]): End {
  if (shown.length === 0) return () => undefined;
  let changes = ofClient.get(queryClient);
  if (changes === undefined) {
    changes = new ShownChanges(queryClient);
    ofClient.set(queryClient, changes);
  }
  return changes.begin(shown);
}

const ofClient = new WeakMap<QueryClient, ShownChanges>();

class ShownChanges {
  readonly #queryClient: QueryClient;
  /** In the order in which they began. */
  readonly #underWay = new Set<readonly Shown[]>();
  /** Without the changes that are under way. */
  readonly #answered = new Map<Query, unknown>();
  #isOwn = false;
  #stop: () => void = () => undefined;

  constructor(queryClient: QueryClient) {
    this.#queryClient = queryClient;
  }

  begin(shown: readonly Shown[]): End {
    if (this.#underWay.size === 0) this.#stop = this.#follow();
    this.#underWay.add(shown);
    for (const query of this.#queriesOf(shown)) {
      if (!this.#answered.has(query)) this.#answered.set(query, query.state.data);
      this.#show(query);
    }
    return (done) => this.#end(shown, done);
  }

  #end(shown: readonly Shown[], done: boolean): void {
    if (!this.#underWay.delete(shown)) return;
    for (const query of this.#queriesOf(shown)) {
      if (!this.#answered.has(query)) continue;
      if (done) this.#answered.set(query, applied(query, shown, this.#answered.get(query)));
      this.#show(query);
    }
    if (this.#underWay.size > 0) return;
    this.#stop();
    this.#answered.clear();
  }

  #follow(): () => void {
    return this.#queryClient.getQueryCache().subscribe((event) => {
      if (this.#isOwn || event.type !== 'updated' || event.action.type !== 'success') return;
      const { query } = event;
      if (![...this.#underWay].some((shown) => concerns(query, shown))) return;
      this.#answered.set(query, query.state.data);
      this.#show(query);
    });
  }

  #show(query: Query): void {
    const data = [...this.#underWay].reduce(
      (before, shown) => applied(query, shown, before),
      this.#answered.get(query),
    );
    if (data === undefined) return;
    this.#isOwn = true;
    try {
      this.#queryClient.setQueryData(query.queryKey, data);
    } finally {
      this.#isOwn = false;
    }
  }

  #queriesOf(shown: readonly Shown[]): Query[] {
    return this.#queryClient.getQueryCache().findAll({ predicate: (query) => concerns(query, shown) });
  }
}

function concerns({ queryKey }: Query, shown: readonly Shown[]): boolean {
  return shown.some((one) => partialMatchKey(queryKey, one.queryKey));
}

function applied({ queryKey }: Query, shown: readonly Shown[], data: unknown): unknown {
  if (data === undefined) return undefined;
  const own = shown.filter((one) => partialMatchKey(queryKey, one.queryKey));
  return own.reduce<unknown>((before, one) => one.data(before as never), data);
}
