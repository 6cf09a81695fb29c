import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';

/** A call of the engine that cannot be answered, with its reason. */
export class CallRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What each call of gRPC is answered, by its path `/<service>/<method>`. */
export type Calls = Readonly<Record<string, (message: Buffer) => Buffer>>;

const unimplemented = 12;
const internal = 13;
const resourceExhausted = 8;
/** Names and addresses are all that is asked. */
const largestMessage = 64 * 1024;

/** Answers calls of gRPC that are one message each way. */
export function serveCalls(session: ServerHttp2Session, calls: Calls): void {
  session.on('error', () => undefined); // The connection's end says the same to whoever waits.
  session.on('stream', (stream, headers) => void serve(stream, headers, calls));
}

async function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, calls: Calls): Promise<void> {
  stream.on('error', () => undefined);
  try {
    const path = String(headers[':path']);
    const answer = calls[path];
    if (answer === undefined) throw new CallRefused(unimplemented, `${path} is not served here.`);
    const message = answer(await messageOf(stream));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([head, message]));
  } catch (error) {
    if (stream.closed || stream.destroyed) return;
    const refused = error instanceof CallRefused ? error : new CallRefused(internal, String(error));
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': String(refused.code),
        'grpc-message': encodeURIComponent(refused.message),
      },
      { endStream: true },
    );
  }
}

/** One message, not compressed: five bytes of flags and length are before it. */
async function messageOf(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestMessage) throw new CallRefused(resourceExhausted, 'The message is too long.');
    chunks.push(chunk);
  }
  const all = Buffer.concat(chunks);
  if (all.length < 5 || all[0] !== 0 || all.readUInt32BE(1) !== all.length - 5)
    throw new CallRefused(internal, 'The message is not whole.');
  return all.subarray(5);
}
