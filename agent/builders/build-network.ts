import type { openProxy } from './sandbox/proxy.ts';

/** The part of a proxy that its builds follow. */
export type Followed = Pick<ReturnType<typeof openProxy>, 'hosts' | 'onRefused'>;

const mostSaid = 5;
const mostHosts = 5;

/** The proxies by which one build goes out: a refusal is a line of its log at once, and not when its client gives up. */
export class BuildNetwork {
  readonly #say: (line: string) => void;
  /** When it was refused so for the last time, counted in refusals. */
  readonly #refused = new Map<string, number>();
  #refusals = 0;
  readonly #proxies = new Set<Followed>();

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** How often it was refused an address until now, as `refusedSince` takes it. */
  get refusals(): number {
    return this.#refusals;
  }

  /** The reasons why it was refused addresses since then, each once. */
  refusedSince(refusals: number): string[] {
    return [...this.#refused].filter(([, at]) => at > refusals).map(([sentence]) => sentence);
  }

  /** Until the answer is called. */
  follow(proxy: Followed): () => void {
    this.#proxies.add(proxy);
    const stop = proxy.onRefused((sentence) => {
      this.#refusals += 1;
      const known = this.#refused.has(sentence);
      if (!known && this.#refused.size >= mostSaid) return;
      this.#refused.set(sentence, this.#refusals);
      if (!known) this.#say(`network: ${sentence}`);
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
