import { Upstream } from './protocols/upstream.ts';
import type { Route, RouteUpstream } from './route.ts';

/** Which instances answer for which host. Applied as a whole; what is under way is not touched. */
export class RoutingTable {
  #routes = new Map<string, readonly Upstream[]>();
  #upstreams = new Map<string, Upstream>();
  /** No route leads there any more, but something is still under way. */
  readonly #leaving = new Set<Upstream>();
  #turn = 0;

  apply(routes: readonly Route[]): void {
    const before = this.#upstreams;
    const upstreams = new Map<string, Upstream>();
    const upstream = (wanted: RouteUpstream): Upstream => {
      const key = `${wanted.instance} ${wanted.protocol} ${wanted.host}:${wanted.port}`;
      const found = upstreams.get(key) ?? before.get(key) ?? new Upstream(wanted);
      upstreams.set(key, found);
      return found;
    };
    this.#routes = new Map(routes.map((route) => [route.host, route.upstreams.map(upstream)]));
    this.#upstreams = upstreams;
    for (const [key, left] of before) {
      if (upstreams.has(key)) continue;
      left.close();
      this.#leaving.add(left);
    }
    for (const left of this.#leaving) {
      if (left.inFlight === 0) this.#leaving.delete(left);
    }
  }

  hosts(): ReadonlySet<string> {
    return new Set(this.#routes.keys());
  }

  /** Undefined if nobody answers for the host, empty if nobody does now. */
  upstreams(host: string): readonly Upstream[] | undefined {
    return this.#routes.get(host);
  }

  /** The one with least to do that was not tried yet. */
  choose(upstreams: readonly Upstream[], tried: ReadonlySet<Upstream>): Upstream | undefined {
    let best: Upstream | undefined;
    this.#turn += 1;
    for (let offset = 0; offset < upstreams.length; offset += 1) {
      const candidate = upstreams[(this.#turn + offset) % upstreams.length];
      if (candidate === undefined || tried.has(candidate)) continue;
      if (best === undefined || rank(candidate) < rank(best)) best = candidate;
    }
    return best;
  }

  inFlight(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { host, port, inFlight } of [...this.#upstreams.values(), ...this.#leaving]) {
      if (inFlight > 0) counts[`${host}:${port}`] = (counts[`${host}:${port}`] ?? 0) + inFlight;
    }
    return counts;
  }
}

function rank(upstream: Upstream): number {
  return upstream.inFlight + (upstream.avoided ? 1e9 : 0);
}

const name = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;
const literal = /^\[[0-9a-f:.]{2,45}\]$/;
const port = /:\d{1,5}$/;

/** The host that a request is for, as routes spell it; undefined if it is none. */
function hostName(authority: string): string | undefined {
  const host = authority.replace(port, '').replace(/\.$/, '').toLowerCase();
  if (host.length > 253) return undefined;
  return name.test(host) || literal.test(host) ? host : undefined;
}

/** The host that is asked for, or the sentence that refuses the request. */
export function hostOf(hosts: readonly string[]): { host: string; authority: string } | { refusal: string } {
  const [authority] = hosts;
  if (authority === undefined) return { refusal: 'The request names no host.' };
  if (hosts.some((other) => other.toLowerCase() !== authority.toLowerCase())) {
    return { refusal: 'The request names more than one host.' };
  }
  const host = hostName(authority);
  return host === undefined ? { refusal: 'The host of the request is not a valid host name.' } : { host, authority };
}
