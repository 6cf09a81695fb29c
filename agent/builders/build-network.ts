import type { openProxy } from './sandbox/proxy.ts';

/** The part of a proxy that its builds follow. */
export type Followed = Pick<ReturnType<typeof openProxy>, 'hosts' | 'onRefused'>;

const mostSaid = 5;
const mostHosts = 5;

/** The proxies by which one build goes out: a refusal is a line of its log at once, and not when its client gives up. */
export class BuildNetwork {
  readonly #say: (line: string) => void;
  readonly #refused = new Set<string>();
  readonly #proxies = new Set<Followed>();

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** The reasons why it was refused addresses, each once. */
  get refused(): ReadonlySet<string> {
    return this.#refused;
  }

  /** Until the answer is called. */
  follow(proxy: Followed): () => void {
    this.#proxies.add(proxy);
    const stop = proxy.onRefused((sentence) => {
      if (this.#refused.has(sentence) || this.#refused.size >= mostSaid) return;
      this.#refused.add(sentence);
      this.#say(`network: ${sentence}`);
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
