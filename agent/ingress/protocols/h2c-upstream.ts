import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { RawHeaders } from '../requests/headers.ts';
import type { Answer, Exchange, Outgoing } from './exchange.ts';

const streamsPerSession = 100;

/** An instance that speaks HTTP/2 without TLS and is known to (gRPC), with its open sessions. */
export class H2cUpstream {
  readonly #origin: string;
  readonly #sessions = new Map<ClientHttp2Session, number>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  send(request: Outgoing, answer: Answer): Exchange {
    const session = this.#session();
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(
        {
          ...grouped(request.headers),
          ':method': request.method,
          ':path': request.path,
          ':scheme': 'http',
          ':authority': request.authority,
          ...(request.takesTrailers ? { te: 'trailers' } : {}),
        },
        { endStream: request.body === undefined },
      );
    } catch (error) {
      answer.failed(error instanceof Error ? error : new Error(String(error)), false);
      return { resume: () => undefined, abort: () => undefined };
    }
    this.#sessions.set(session, (this.#sessions.get(session) ?? 0) + 1);
    stream.once('close', () => this.#sessions.set(session, (this.#sessions.get(session) ?? 1) - 1));
    const { body } = request;
    // Nothing is taken of the body before there is a connection: another instance could not get it any more.
    const send = (): void => {
      answer.sent();
      if (body !== undefined) sendBody(stream, body).catch(() => stream.close(constants.NGHTTP2_CANCEL));
    };
    if (session.connecting) session.once('connect', send);
    else send();
    receive(stream, answer);
    return { resume: () => stream.resume(), abort: () => stream.close(constants.NGHTTP2_CANCEL) };
  }

  /** Closes sessions once their streams in flight have finished. */
  close(): void {
    for (const session of this.#sessions.keys()) session.close();
  }

  #session(): ClientHttp2Session {
    for (const [session, streams] of this.#sessions) {
      if (!session.closed && !session.destroyed && streams < streamsPerSession) return session;
    }
    const session = connect(this.#origin, { maxSessionMemory: 64 });
    const timeout = setTimeout(() => session.destroy(new Error('The instance takes no connection.')), 3_000);
    session.once('connect', () => clearTimeout(timeout));
    session.once('goaway', () => session.close());
    session.on('error', () => undefined);
    session.once('close', () => {
      clearTimeout(timeout);
      this.#sessions.delete(session);
    });
    this.#sessions.set(session, 0);
    return session;
  }
}

function receive(stream: ClientHttp2Stream, answer: Answer): void {
  let trailers: RawHeaders = [];
  let failure: Error | undefined;
  let ended = false;
  stream.on('response', (headers, flags) => {
    const last = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    answer.head(Number(headers[':status']), flat(headers), last);
  });
  stream.on('trailers', (headers) => {
    trailers = flat(headers);
  });
  stream.on('data', (chunk: Buffer) => {
    if (!answer.data(chunk)) stream.pause();
  });
  stream.on('end', () => {
    ended = true;
  });
  stream.on('error', (error) => {
    failure = error;
  });
  stream.once('close', () => {
    const code = stream.rstCode;
    if (ended && failure === undefined && code === constants.NGHTTP2_NO_ERROR) answer.end(trailers);
    else {
      const reason = failure ?? new Error(`The instance broke the stream off with code ${code}.`);
      answer.failed(reason, code === constants.NGHTTP2_REFUSED_STREAM);
    }
  });
}

async function sendBody(stream: ClientHttp2Stream, body: () => AsyncIterable<Buffer>): Promise<void> {
  const closed = new AbortController();
  stream.once('close', () => closed.abort());
  for await (const chunk of body()) {
    if (stream.destroyed) return;
    if (!stream.write(chunk)) await once(stream, 'drain', { signal: closed.signal });
  }
  stream.end();
}

function grouped(headers: RawHeaders): Record<string, string[]> {
  const result: Record<string, string[]> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    result[name] = [...(result[name] ?? []), headers[at + 1] ?? ''];
  }
  return result;
}

function flat(headers: Record<string, unknown>): RawHeaders {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (name.startsWith(':')) return [];
    return (Array.isArray(value) ? value : [value]).flatMap((one) => [name, String(one)]);
  });
}
