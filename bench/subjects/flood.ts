import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { readSettings } from '../../domain/settings/settings.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { answers } from '../engine/node-process.ts';
import { p99 } from '../engine/steady-load.ts';
import { openGround } from '../ground/ground.ts';
import { bearer, seedTeams } from '../ground/seed.ts';
import { type Server, startApi } from '../ground/servers.ts';

const idle = 2_000;
/** Addresses of the loopback, since one address may hold only so many connections. */
const addresses = 16;
const posting = 8;
const megabytes = 4;
const seconds = 20;
/** Afterwards every connection of the flood must be over within that time. */
const patience = 60;

const rows = {
  latency: `p99 of 50 requests a second of a signed-in user, with ${idle} idle connections and ${posting} clients posting ${megabytes} MB`,
  health: 'health checks without an answer meanwhile',
  left: `connections of the flood ${patience} s later`,
} as const;

/** The same API without strangers and with a crowd of them. It is the figures that are judged, not their ratio. */
export const flood: Benchmark = {
  name: 'flood',
  what: `${idle} idle connections and ${posting} clients that post ${megabytes} MB without a credential`,
  rows: [
    { name: rows.latency, unit: 'ms', better: 'less', mostBeside: () => 500 },
    { name: rows.health, unit: 'requests', better: 'less', mostBeside: () => 0 },
    { name: rows.left, unit: 'connections', better: 'less', mostBeside: () => 0 },
  ],
  open,
};

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const ground = opening.use(await openGround());
  const { organizationId, token } = await seedTeams(ground.database);
  const target = { path: `/api/v1/organizations/${organizationId}`, headers: bearer(token) };
  // Limits as they are by default: they are what is measured here.
  const { RATE_LIMIT_PER_MINUTE, RATE_LIMIT_ANONYMOUS_PER_MINUTE } = readSettings({});
  const limits = {
    RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT_PER_MINUTE),
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: String(RATE_LIMIT_ANONYMOUS_PER_MINUTE),
  };
  const api = opening.use(await startApi(ground, target, limits));
  const opened = opening.move();

  async function figures(): Promise<Figures> {
    const load = { url: `${api.url}${target.path}`, headers: target.headers, perSecond: 50 };
    await p99({ ...load, seconds: 3 });
    const [latency, health] = await Promise.all([p99({ ...load, seconds }), unansweredHealth(api)]);
    return { [rows.latency]: latency, [rows.health]: health, [rows.left]: 0 };
  }

  return {
    reference: figures,
    async subject() {
      const sockets = new Set<Socket>();
      const stopping = new AbortController();
      await Promise.all(Array.from({ length: idle }, (_, index) => hold(api, index, sockets)));
      const clients = Array.from({ length: posting }, () => post(api, stopping.signal));
      const measured = await figures();
      stopping.abort();
      await Promise.all(clients);
      await pause(patience * 1_000);
      const left = sockets.size;
      for (const socket of sockets) socket.destroy();
      return { ...measured, [rows.left]: left };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** One connection that says nothing, of one of many addresses. */
async function hold({ url }: Server, index: number, sockets: Set<Socket>): Promise<void> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: addressOf(index) });
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.once('close', () => sockets.delete(socket));
  socket.resume();
  await once(socket, 'connect');
}

function addressOf(index: number): string {
  return `127.0.1.${1 + (index % addresses)}`;
}

/** One client after the other from one place: each sends four megabytes without a credential. */
async function post({ url }: Server, signal: AbortSignal): Promise<void> {
  const body = Buffer.from(`[${'{},'.repeat((megabytes * 1_000_000) / 3)}{}]`);
  const head = [
    'POST /agent/v1/report HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  while (!signal.aborted) {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: '127.0.2.1' });
    socket.on('error', () => undefined);
    // `once` of node:events would throw the refusal that is hoped for.
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume();
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(body);
    await closed;
  }
}

/** Asks for the health twenty times a second, and counts what is not answered with 200 within two seconds. */
async function unansweredHealth({ url }: Server): Promise<number> {
  const asked: Promise<boolean>[] = [];
  for (let number = 0; number < seconds * 20; number += 1) {
    asked.push(answers(`${url}/healthz`));
    await pause(50);
  }
  return (await Promise.all(asked)).filter((well) => !well).length;
}
