import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import type { RawHeaders } from '../requests/headers.ts';
import type { Answer, Exchange, Outgoing } from './exchange.ts';

/** An instance that speaks HTTP/1.1, with its pool of open connections. */
export class Http1Upstream {
  readonly #pool: Pool;

  constructor(origin: string) {
    this.#pool = new Pool(origin, {
      connections: 1024,
      pipelining: 1,
      // Many servers close what is idle for 2 or 5 s without saying so; one that says how long is believed.
      keepAliveTimeout: 1_500,
      connect: { timeout: 3_000 },
      headersTimeout: 600_000,
      bodyTimeout: 0,
      maxHeaderSize: 65_536,
    });
  }

  send(request: Outgoing, answer: Answer): Exchange {
    const receiving = new Receiving(answer);
    this.#pool.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: ['Host', request.authority, ...request.headers],
        body: request.body === undefined ? null : Readable.from(request.body(), { objectMode: false }),
      },
      receiving,
    );
    return receiving;
  }

  close(): void {
    this.#pool.close().catch(() => undefined);
  }
}

class Receiving implements Exchange, Dispatcher.DispatchHandler {
  readonly #answer: Answer;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted = false;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort(new Error('The client went away.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(new Error('The client went away.'));
    else this.#answer.sent();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#answer.head(status, decoded(controller.rawHeaders), false);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#answer.data(chunk)) controller.pause();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#answer.end(decoded(controller.rawTrailers));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#answer.failed(error, false);
  }
}

/** Byte for byte: what a header means is between client and application. */
function decoded(raw: Dispatcher.DispatchController['rawHeaders']): RawHeaders {
  if (!Array.isArray(raw)) return [];
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}
