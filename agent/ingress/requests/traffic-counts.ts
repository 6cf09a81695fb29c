import { type StatusClass, statusClasses, type Traffic } from '../route.ts';

/** Each bucket ends a fifth above the one before it, from half a millisecond to some ten minutes. */
const bounds = Array.from({ length: 78 }, (_, number) => 0.5 * 1.2 ** number);

interface Counts {
  requests: Record<StatusClass, number>;
  /** One more than there are bounds: the last is for what took even longer. */
  buckets: Float64Array;
}

/** How many requests a host got and how long they took: little memory, however many there are. */
export class TrafficCounts {
  readonly #hosts = new Map<string, Counts>();

  count(host: string, status: number, milliseconds: number): void {
    let counts = this.#hosts.get(host);
    if (counts === undefined) {
      counts = {
        requests: { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 },
        buckets: new Float64Array(bounds.length + 1),
      };
      this.#hosts.set(host, counts);
    }
    counts.requests[statusClasses[Math.floor(status / 100) - 1] ?? '5xx'] += 1;
    const bucket = Math.max(0, Math.ceil(Math.log(milliseconds / 0.5) / Math.log(1.2)));
    const at = Math.min(bucket, bounds.length);
    counts.buckets[at] = (counts.buckets[at] ?? 0) + 1;
  }

  /** Forgets hosts that no route leads to any more. */
  keep(hosts: ReadonlySet<string>): void {
    for (const host of this.#hosts.keys()) {
      if (!hosts.has(host)) this.#hosts.delete(host);
    }
  }

  all(): Traffic[] {
    return [...this.#hosts].map(([host, { requests, buckets }]) => ({
      host,
      requests: { ...requests },
      milliseconds: { p50: quantile(buckets, 0.5), p95: quantile(buckets, 0.95), p99: quantile(buckets, 0.99) },
    }));
  }
}

/** The end of the bucket that the quantile falls into: at most a fifth too much, never too little. */
function quantile(buckets: Float64Array, share: number): number {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [at, count] of buckets.entries()) {
    seen += count;
    if (seen >= total * share) return Math.round((bounds[at] ?? bounds.at(-1) ?? 0) * 10) / 10;
  }
  return 0;
}
