import type { openProxy } from './sandbox/proxy.ts';

/** The part of a proxy that its builds follow. */
export type Followed = Pick<ReturnType<typeof openProxy>, 'hosts' | 'onFailure'>;

const mostSaid = 5;
const mostHosts = 5;

/** The proxies by which one build goes out: an address that it does not get is a line of its log at once, not when its client gives up. */
export class BuildNetwork {
  readonly #say: (line: string) => void;
  /** The lines, and when each was the last one, counted in failures. */
  readonly #failed = new Map<string, number>();
  #failures = 0;
  readonly #proxies = new Set<Followed>();

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** How often it did not get an address until now, as `failuresSince` takes it. */
  get failures(): number {
    return this.#failures;
  }

  /** The lines since then, each once. */
  failuresSince(failures: number): string[] {
    return [...this.#failed].filter(([, at]) => at > failures).map(([line]) => line);
  }

  /** Until the answer is called. */
  follow(proxy: Followed): () => void {
    this.#proxies.add(proxy);
    const stop = proxy.onFailure((line) => {
      this.#failures += 1;
      const known = this.#failed.has(line);
      if (!known && this.#failed.size >= mostSaid) return;
      this.#failed.set(line, this.#failures);
      if (!known) this.#say(line);
    });
    return () => {
      stop();
      this.#proxies.delete(proxy);
    };
  }

  /** Hosts that it has connections to, or waits for one; empty: none. */
  open(): string {
    const hosts = [...new Set([...this.#proxies].flatMap((proxy) => proxy.hosts()))].sort();
    const more = hosts.length - mostHosts;
    return [...hosts.slice(0, mostHosts), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  }
}
