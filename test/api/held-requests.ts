import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Organization } from '../api/client.ts';
import { type RunningApi, runningApi } from '../installation/running-api.ts';

/** More than requests may be in work at once. */
export const many = 1_100;
export let api: RunningApi;
export let ours: Organization;

export const held: Socket[] = [];

export interface Held {
  socket: Socket;
  read: string;
  closed: boolean;
}

export async function hold(at: RunningApi, head: string[], body = ''): Promise<Held> {
  const socket = connect(Number(new URL(at.url).port), '127.0.0.1');
  const kept: Held = { socket, read: '', closed: false };
  held.push(socket);
  socket.on('data', (chunk) => {
    kept.read += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    kept.closed = true;
  });
  await once(socket, 'connect');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return kept;
}

export const post = (path: string, length: number, ...more: string[]) => [
  `POST ${path} HTTP/1.1`,
  'Host: localhost',
  'Content-Type: application/json',
  `Content-Length: ${length}`,
  ...more,
];

export async function everythingAnswers(at: RunningApi, seeded: Organization): Promise<void> {
  const answers = await Promise.all([
    at.call('GET', '/healthz'),
    at.call('GET', '/api/v1/teams', { as: seeded.tokens.viewer }),
    at.call('POST', '/api/v1/teams', { as: seeded.sessions.admin, body: { name: `Team ${crypto.randomUUID()}` } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 201]);
}

/** An API, and connections to it that are held open until the end. */
export function heldRequests(): void {
  beforeAll(async () => {
    api = await runningApi({ env: { CONNECTIONS_PER_ADDRESS: '2000' } });
    ours = await api.organization();
  });
  afterAll(async () => {
    for (const socket of held.splice(0)) socket.destroy();
    await api.close();
  });
}
