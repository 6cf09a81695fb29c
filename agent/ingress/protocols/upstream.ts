import type { RouteUpstream } from '../route.ts';
import type { Answer, Exchange, Outgoing } from './exchange.ts';
import { H2cUpstream } from './h2c-upstream.ts';
import { Http1Upstream } from './http1.ts';

const avoidedMilliseconds = 1_000;

/** One ready instance, with what is under way there. Open upgrades and streams count, too. */
export class Upstream {
  readonly instance: string;
  readonly host: string;
  readonly port: number;
  readonly #http: Http1Upstream | H2cUpstream;
  inFlight = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor({ instance, host, port, protocol }: RouteUpstream) {
    this.instance = instance;
    this.host = host;
    this.port = port;
    const origin = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
    this.#http = protocol === 'h2c' ? new H2cUpstream(origin) : new Http1Upstream(origin);
  }

  send(request: Outgoing, answer: Answer): Exchange {
    return this.#http.send(request, answer);
  }

  /**
   * After a refused connection others are tried first for a moment; otherwise the idle, broken one would attract
   * everything.
   */
  refused(): void {
    this.#refusedAt = performance.now();
  }

  get avoided(): boolean {
    return performance.now() - this.#refusedAt < avoidedMilliseconds;
  }

  close(): void {
    this.#http.close();
  }
}
