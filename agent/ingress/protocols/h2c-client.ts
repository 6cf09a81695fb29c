import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { RawHeaders, Reply, RequestHead } from '../requests/headers.ts';
import { plainAddress } from '../trusted-proxies.ts';

export function askedOverH2c(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: readonly string[],
  crowded: boolean,
): RequestHead {
  const hosts = headers[':authority'] === undefined ? [] : [headers[':authority']];
  const plain: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.startsWith(':')) continue;
    if (name === 'host') hosts.push(rawHeaders[at + 1] ?? '');
    plain.push(name, rawHeaders[at + 1] ?? '');
  }
  return {
    protocol: 'h2c',
    method: headers[':method'] ?? '',
    path: headers[':path'] ?? '',
    hosts,
    headers: plain,
    body: (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0 ? stream : undefined,
    address: plainAddress(stream.session?.socket?.remoteAddress),
    crowded,
  };
}

export class H2cReply implements Reply {
  readonly #stream: ServerHttp2Stream;
  #trailers: RawHeaders = [];

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
    stream.on('error', () => undefined);
    stream.on('wantTrailers', () => stream.sendTrailers(grouped(this.#trailers)));
  }

  get begun(): boolean {
    return this.#stream.headersSent;
  }

  head(status: number, headers: RawHeaders, last: boolean): void {
    if (this.#stream.destroyed || this.#stream.closed) return;
    this.#stream.respond({ ...grouped(headers), ':status': status }, { endStream: last, waitForTrailers: !last });
  }

  data(chunk: Buffer): boolean {
    return !this.#stream.writable || this.#stream.write(chunk);
  }

  end(trailers: RawHeaders): void {
    this.#trailers = trailers;
    if (this.#stream.writable) this.#stream.end();
  }

  cut(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  onDrain(listener: () => void): void {
    this.#stream.on('drain', listener);
  }

  onClose(listener: () => void): void {
    this.#stream.once('close', listener);
  }
}

function grouped(headers: RawHeaders): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    const value = headers[at + 1] ?? '';
    const before = result[name];
    result[name] = before === undefined ? value : [before, value].flat();
  }
  return result;
}
