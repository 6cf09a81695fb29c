import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { bytesField, readFields } from '../session/messages.ts';

const headBytes = 5;

/** gRPC puts five bytes before each message: whether it is compressed, and its length. */
export function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The messages of a stream, none of them longer than that. */
export async function* messagesOf(chunks: AsyncIterable<Buffer>, largest: number): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let size = 0;
  let wanted = headBytes;
  for await (const chunk of chunks) {
    pending.push(chunk);
    size += chunk.length;
    while (size >= wanted) {
      const all = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending);
      pending = [all];
      const end = headBytes + all.readUInt32BE(1);
      if (all[0] !== 0 || end > largest) throw new Error('BuildKit sends a message that is compressed or too long.');
      wanted = end;
      if (size < end) break;
      yield all.subarray(headBytes, end);
      pending = [all.subarray(end)];
      size -= end;
      wanted = headBytes;
    }
  }
  if (size > 0) throw new Error('A message of BuildKit is cut off.');
}

const piece = 1024 * 1024;

/** Bytes as messages `BytesMessage`. */
export async function* wrapped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += piece) yield framed(bytesField(1, chunk.subarray(at, at + piece)));
}

/** The bytes that were sent as messages `BytesMessage`. */
export async function* unwrapped(chunks: AsyncIterable<Buffer>, largest: number): AsyncGenerator<Buffer> {
  for await (const message of messagesOf(chunks, largest)) {
    const data = readFields(message).get(1)?.at(-1);
    if (Buffer.isBuffer(data) && data.length > 0) yield data;
  }
}

/** BuildKit's own words for why it ended. */
export class BuildRefused extends Error {}

const service = '/moby.buildkit.v1.Control';
const largestMessage = 64 * 1024 * 1024;
/** Of a stream; a connection has more than all of its streams, so that none that waits holds up the others. */
const window = 1024 * 1024;
export const connectionWindow = 64 * window;
export const connectionOptions = {
  // Errors come in headers, with all that led to them.
  settings: { initialWindowSize: window, maxHeaderListSize: 4 * 1024 * 1024, enablePush: false },
  /** In megabytes: with less, calls are refused while a context or an image is on its way. */
  maxSessionMemory: 256,
};

/** The API of a buildkitd: gRPC at a socket. */
export class Control {
  readonly #connection: ClientHttp2Session;

  constructor(socketPath: string) {
    this.#connection = connect('http://buildkit', {
      ...connectionOptions,
      createConnection: () => connectSocket(socketPath),
    });
    // The calls tell it.
    this.#connection.on('error', () => undefined);
    this.#connection.once('connect', () => this.#connection.setLocalWindowSize(connectionWindow));
  }

  /** A call of one message, answered by one. */
  async ask(method: string, message: Buffer, signal: AbortSignal): Promise<Buffer> {
    let answer: Buffer | undefined;
    for await (const one of this.read(method, message, signal)) answer = one;
    if (answer === undefined) throw new Error(`BuildKit does not answer ${method}.`);
    return answer;
  }

  /** A call of one message, answered by any number. It ends in BuildKit when the signal is aborted. */
  async *read(method: string, message: Buffer, signal: AbortSignal): AsyncGenerator<Buffer> {
    signal.throwIfAborted();
    const stream = this.open(method);
    const ended = statusOf(stream);
    const stop = () => stream.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener('abort', stop, { once: true });
    try {
      stream.end(framed(message));
      yield* messagesOf(stream, largestMessage);
      await ended;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof Error && 'code' in error ? gone() : error;
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
      ended.catch(() => undefined);
    }
  }

  open(method: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream {
    return this.#connection.request({
      ...{ ':method': 'POST', ':path': `${service}/${method}` },
      ...{ 'content-type': 'application/grpc', te: 'trailers', ...headers },
    });
  }

  close(): void {
    this.#connection.destroy();
  }
}

function gone(): BuildRefused {
  return new BuildRefused('The builder of the organization has ended: retry the build.');
}

/** Fails with what the call failed with: told after its messages, or instead of them. */
function statusOf(stream: ClientHttp2Stream): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    const take = (headers: { 'grpc-status'?: unknown; 'grpc-message'?: unknown }) => {
      const status = headers['grpc-status'];
      if (status === undefined) return;
      if (status === '0') resolve();
      else reject(new BuildRefused(textOf(String(headers['grpc-message'] ?? `status ${status}`))));
    };
    stream.on('response', take);
    stream.on('trailers', take);
    stream.on('error', () => reject(gone()));
    stream.on('close', () => reject(gone()));
  });
  ended.catch(() => undefined);
  return ended;
}

function textOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
