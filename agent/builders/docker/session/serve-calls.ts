import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { framed, messagesOf, unwrapped, wrapped } from '../buildkit/frames.ts';

/** A call of BuildKit that cannot be answered, with its reason. */
export class CallRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answers to calls of gRPC, by their path `/<service>/<method>`. */
export interface Calls {
  /** One message each way. */
  single: Readonly<Record<string, (message: Buffer) => Buffer>>;
  /** Bytes that BuildKit is sent. */
  sending: Readonly<Record<string, () => AsyncIterable<Buffer>>>;
  /** Bytes that BuildKit sends. */
  taking: Readonly<Record<string, (bytes: AsyncIterable<Buffer>) => Promise<void>>>;
}

const unimplemented = 12;
const internal = 13;
/** Names and addresses are all that is asked. */
const largestQuestion = 64 * 1024;
const largestPiece = 16 * 1024 * 1024;
const head = { ':status': 200, 'content-type': 'application/grpc' };

export function pathsOf({ single, sending, taking }: Calls): string[] {
  return [single, sending, taking].flatMap((calls) => Object.keys(calls));
}

export function serveCalls(session: ServerHttp2Session, calls: Calls): void {
  session.on('error', () => undefined); // The connection's end says the same to whoever waits.
  session.on('stream', (stream, headers) => void serve(stream, headers, calls));
}

async function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, calls: Calls): Promise<void> {
  stream.on('error', () => undefined);
  const path = String(headers[':path']);
  const [single, sending, taking] = [calls.single[path], calls.sending[path], calls.taking[path]];
  try {
    if (single !== undefined) end(stream, framed(single(await messageOf(stream))));
    else if (sending !== undefined) await send(stream, sending());
    else if (taking !== undefined) {
      await taking(unwrapped(stream, largestPiece));
      end(stream, Buffer.alloc(0));
    } else throw new CallRefused(unimplemented, `${path} is not served here.`);
  } catch (error) {
    if (stream.closed || stream.destroyed) return;
    if (stream.headersSent) return void stream.destroy();
    const refused = error instanceof CallRefused ? error : new CallRefused(internal, String(error));
    const told = { 'grpc-status': String(refused.code), 'grpc-message': encodeURIComponent(refused.message) };
    stream.respond({ ...head, ...told }, { endStream: true });
  }
}

function end(stream: ServerHttp2Stream, bytes: Buffer): void {
  begin(stream);
  stream.end(bytes);
}

function begin(stream: ServerHttp2Stream): void {
  stream.respond(head, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
}

async function send(stream: ServerHttp2Stream, bytes: AsyncIterable<Buffer>): Promise<void> {
  begin(stream);
  await pipeline(Readable.from(wrapped(bytes)), stream);
}

/** Read to its end: a stream that is left before is cancelled. */
async function messageOf(stream: ServerHttp2Stream): Promise<Buffer> {
  let whole: Buffer | undefined;
  for await (const message of messagesOf(stream, largestQuestion)) whole = message;
  if (whole === undefined) throw new CallRefused(internal, 'The message is not there.');
  return whole;
}
