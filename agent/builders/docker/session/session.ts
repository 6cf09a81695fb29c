import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { createServer } from 'node:http2';
import type { Duplex } from 'node:stream';
import { Refusal } from '../../../program/refusal.ts';
import { bytesField, numberField, readFields, textIn } from './messages.ts';
import { CallRefused, type Calls, serveCalls } from './serve-calls.ts';

/** The engine asks here while it builds: HTTP/2 over the connection that we opened, with the engine as the client. */
export interface Session {
  id: string;
  /** Secrets that the Dockerfile wanted and that the build does not have. */
  missing: ReadonlySet<string>;
  close(): void;
}

const serving = 1;
const failedPrecondition = 9;

export async function openSession(
  socket: string,
  secrets: Readonly<Record<string, string | Buffer>>,
  signal: AbortSignal,
): Promise<Session> {
  const id = randomUUID();
  const missing = new Set<string>();
  const calls = callsOf(secrets, missing);
  const connection = await upgraded(socket, id, Object.keys(calls), signal);
  const server = createServer();
  server.on('session', (session) => serveCalls(session, calls));
  server.on('error', () => undefined);
  connection.on('error', () => undefined);
  server.emit('connection', connection);
  return { id, missing, close: () => connection.destroy() };
}

function callsOf(secrets: Readonly<Record<string, string | Buffer>>, missing: Set<string>): Calls {
  return {
    '/grpc.health.v1.Health/Check': () => numberField(1, serving),
    '/moby.buildkit.secrets.v1.Secrets/GetSecret': (message) => {
      const name = textIn(readFields(message), 1);
      const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      if (value === undefined) {
        missing.add(name);
        // "Not found" would leave the mount out, and the build would go on without it.
        throw new CallRefused(failedPrecondition, `The build has no secret ${JSON.stringify(name)}.`);
      }
      return bytesField(1, typeof value === 'string' ? Buffer.from(value) : value);
    },
    // Base images are read as the engine is configured: without credentials of ours.
    '/moby.filesync.v1.Auth/Credentials': () => Buffer.alloc(0),
  };
}

function upgraded(socketPath: string, id: string, methods: readonly string[], signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: 'docker',
      connection: 'Upgrade',
      upgrade: 'h2c',
      'x-docker-expose-session-uuid': id,
      'x-docker-expose-session-name': 'ballast',
      'x-docker-expose-session-sharedkey': '',
      'x-docker-expose-session-grpc-method': [...methods],
    };
    const asked = request({ socketPath, method: 'POST', path: '/session', headers, agent: false, signal });
    asked.on('upgrade', (_answer, connection, head) => {
      if (head.length > 0) connection.unshift(head);
      resolve(connection);
    });
    asked.on('response', (answer) => {
      answer.resume();
      reject(new Refusal(`The Docker engine opens no session for builds (${answer.statusCode}): it has no BuildKit.`));
    });
    asked.on('error', reject);
    asked.end();
  });
}
