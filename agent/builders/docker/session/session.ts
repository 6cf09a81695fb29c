import { randomUUID } from 'node:crypto';
import {
  type ClientHttp2Stream,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type Control,
  connectionOptions,
  connectionWindow,
  framed,
  messagesOf,
  unwrapped,
  wrapped,
} from '../buildkit/control.ts';
import { bytesField, numberField, readFields, textIn } from './messages.ts';

/** A call of BuildKit that cannot be answered, with its reason. */
export class CallRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answers to calls of gRPC, by their path `/<service>/<method>`. */
interface Calls {
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

function pathsOf({ single, sending, taking }: Calls): string[] {
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

/** BuildKit asks here while it builds: HTTP/2 within a call that we made, with BuildKit as the client. */
interface Session {
  id: string;
  /** Address of the context for BuildKit. */
  context: string;
  /** Secrets that the Dockerfile wanted and that the build does not have. */
  missing: ReadonlySet<string>;
  close(): void;
}

interface Offered {
  secrets: Readonly<Record<string, string | Buffer>>;
  /** A tar; read anew each time. */
  context(): Readable;
  /** Takes the image that was built. */
  take(archive: Readable): Promise<void>;
}

const serving = 1;
const notFound = 5;
const failedPrecondition = 9;
/** BuildKit itself asks for these, of each host that it reads a source from. */
const ofSources = /^(HTTP|GIT)_AUTH_(TOKEN|HEADER)(_|\.|$)/;

export function openSession(control: Control, offered: Offered): Session {
  const id = randomUUID();
  const missing = new Set<string>();
  const calls = callsOf(offered, missing);
  const stream = control.open('Session', {
    'x-docker-expose-session-uuid': id,
    'x-docker-expose-session-name': 'ballast',
    'x-docker-expose-session-sharedkey': '',
    'x-docker-expose-session-grpc-method': pathsOf(calls),
  });
  // The build tells it.
  stream.on('error', () => undefined);
  const connection = connectionWithin(stream);
  connection.on('error', () => undefined);
  const server = createServer(connectionOptions);
  server.on('session', (session) => {
    session.setLocalWindowSize(connectionWindow);
    serveCalls(session, calls);
  });
  server.on('error', () => undefined);
  server.emit('connection', connection);
  const close = () => {
    connection.destroy();
    stream.destroy();
  };
  return { id, context: `http://buildkit-session/${id}`, missing, close };
}

/** The bytes of a connection, which both sides send as messages of a call. */
function connectionWithin(stream: ClientHttp2Stream): Duplex {
  const coming = unwrapped(stream, largestPiece);
  const connection = new Duplex({
    read() {
      coming.next().then(
        ({ value, done }) => connection.push(done === true ? null : value),
        (error: Error) => connection.destroy(error),
      );
    },
    write: (chunk: Buffer, _, sent) => void stream.write(framed(bytesField(1, chunk)), sent),
    final: (sent) => void stream.end(sent),
  });
  return connection;
}

function callsOf({ secrets, context, take }: Offered, missing: Set<string>): Calls {
  return {
    single: {
      '/grpc.health.v1.Health/Check': () => numberField(1, serving),
      '/moby.buildkit.secrets.v1.Secrets/GetSecret': (message) => {
        const name = textIn(readFields(message), 1);
        const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
        if (value === undefined && ofSources.test(name)) throw new CallRefused(notFound, 'There is none.');
        if (value === undefined) {
          missing.add(name);
          // "Not found" would leave the mount out, and the build would go on without it.
          throw new CallRefused(failedPrecondition, `The build has no secret ${JSON.stringify(name)}.`);
        }
        return bytesField(1, typeof value === 'string' ? Buffer.from(value) : value);
      },
      // Base images are read without credentials of ours.
      '/moby.filesync.v1.Auth/Credentials': () => Buffer.alloc(0),
    },
    sending: { '/moby.upload.v1.Upload/Pull': context },
    taking: { '/moby.filesync.v1.FileSend/DiffCopy': (bytes) => take(Readable.from(bytes, { objectMode: false })) },
  };
}
