import { randomUUID } from 'node:crypto';
import { type ClientHttp2Stream, createServer } from 'node:http2';
import { Duplex, Readable } from 'node:stream';
import { type Control, connectionOptions, connectionWindow } from '../buildkit/control.ts';
import { framed, unwrapped } from '../buildkit/frames.ts';
import { bytesField, numberField, readFields, textIn } from './messages.ts';
import { CallRefused, type Calls, pathsOf, serveCalls } from './serve-calls.ts';

/** BuildKit asks here while it builds: HTTP/2 within a call that we made, with BuildKit as the client. */
export interface Session {
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
const largestPiece = 16 * 1024 * 1024;

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
