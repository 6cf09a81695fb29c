import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import type { RawHeaders, Reply, RequestHead } from '../requests/headers.ts';
import { plainAddress } from '../trusted-proxies.ts';
import type { Answer, Exchange, Outgoing } from './exchange.ts';

/** A client that keeps sending an unwanted body is read for this long, so that it can receive the answer. */
const lingerMilliseconds = 5_000;

export function askedOverHttp1(request: IncomingMessage, crowded: boolean): RequestHead {
  const { rawHeaders } = request;
  const hosts: string[] = [];
  let bodied = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase();
    // Twice the same is refused like two different ones: who sends that tries something.
    if (name === 'host') hosts.push(hosts.length > 0 ? '' : (rawHeaders[at + 1] ?? ''));
    if (name === 'transfer-encoding' || (name === 'content-length' && rawHeaders[at + 1] !== '0')) bodied = true;
  }
  let path = request.url ?? '';
  const absolute = /^http:\/\/([^/?#]*)/i.exec(path);
  if (absolute) {
    hosts.push(absolute[1] ?? '');
    path = path.slice(absolute[0].length);
    if (!path.startsWith('/')) path = `/${path}`;
  }
  return {
    protocol: 'http1',
    method: request.method ?? '',
    path,
    hosts,
    headers: rawHeaders,
    body: bodied ? request : undefined,
    address: plainAddress(request.socket.remoteAddress),
    crowded,
  };
}

export class Http1Reply implements Reply {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #closes: () => boolean;
  #written = false;

  constructor(request: IncomingMessage, response: ServerResponse, closes: () => boolean) {
    this.#request = request;
    this.#response = response;
    this.#closes = closes;
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    response.once('finish', () => this.#linger());
  }

  get begun(): boolean {
    return this.#response.headersSent;
  }

  head(status: number, headers: RawHeaders): void {
    const closing = this.#closes() ? ['Connection', 'close'] : [];
    this.#response.writeHead(status, [...headers, ...closing]);
    // An answer whose body begins later, of server-sent events for example, is told to the client now.
    process.nextTick(() => this.#written || this.#response.flushHeaders());
  }

  data(chunk: Buffer): boolean {
    this.#written = true;
    return this.#response.write(chunk);
  }

  end(trailers: RawHeaders): void {
    if (trailers.length > 0) {
      const pairs: [string, string][] = [];
      for (let at = 0; at < trailers.length; at += 2) pairs.push([trailers[at] ?? '', trailers[at + 1] ?? '']);
      this.#response.addTrailers(pairs);
    }
    this.#written = true;
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }

  #linger(): void {
    const request = this.#request;
    if (request.complete) return;
    const timer = setTimeout(() => request.complete || request.socket.destroy(), lingerMilliseconds);
    request.socket.once('close', () => clearTimeout(timer));
  }
}

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
