import { request } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FeedListenerState } from '../../db/engine/feed/feed-listener.ts';
import { outboxState } from '../../db/engine/outbox.ts';
import { metricsToken } from '../../db/keys/metrics-token.ts';
import type { Database } from '../../db/postgres/database.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { isOwnDirectory } from '../../machine/own-directory.ts';
import type { Hub } from '../engine/streams/hub.ts';

export interface Metrics {
  request(operation: string, status: number, seconds: number): void;
  alarm(): void;
  /** The metrics as Prometheus reads them. */
  text(): Promise<string>;
}

interface Sources {
  database: Database;
  hub: Hub;
  feed: () => FeedListenerState;
}

/** The metrics of this process. Each app has a registry of its own, so that two can live in one process. */
export function createMetrics({ database, hub, feed }: Sources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'ballast_api_' });
  const requests = new Histogram({
    name: 'ballast_http_request_seconds',
    help: 'Requests by operation and status, and how long they took. Of a stream, how long it was open.',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const alarms = new Counter({
    name: 'ballast_projection_alarms_total',
    help: 'Rows that contradicted their actor.',
    registers,
  });
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  gauge('ballast_pool_connections', 'Connections to PostgreSQL.', () => database.pool().total);
  gauge('ballast_pool_idle', 'Connections that nobody uses.', () => database.pool().idle);
  gauge('ballast_pool_waiting', 'Requests that wait for a connection.', () => database.pool().waiting);
  gauge('ballast_streams_open', 'Event streams that this process serves.', () => hub.openStreams);
  gauge('ballast_feed_lag_seconds', 'How late the newest entry of the change feed was read.', () => feed().lagSeconds);
  gauge(
    'ballast_feed_stalled_seconds',
    'For how long an open transaction has held the feed back.',
    () => feed().stalledSeconds,
  );
  const depth = new Gauge({ name: 'ballast_outbox_depth', help: 'What actors are still to be told.', registers });
  const age = new Gauge({ name: 'ballast_outbox_oldest_seconds', help: 'Age of the oldest of it.', registers });
  const poisoned = new Gauge({
    name: 'ballast_outbox_poisoned',
    help: 'Entries that were tried ten times or more, at most 20.',
    registers,
  });
  return {
    request: (operation, status, seconds) => requests.observe({ operation, status }, seconds),
    alarm: () => alarms.inc(),
    async text() {
      const outbox = await outboxState(database.kysely).catch(() => undefined);
      depth.set(outbox?.depth ?? Number.NaN);
      age.set(outbox?.oldestAgeSeconds ?? Number.NaN);
      poisoned.set(outbox?.poisoned.length ?? Number.NaN);
      return registry.metrics();
    },
  };
}

type WorkerAddress = Pick<Settings, 'WORKER_METRICS_URL' | 'WORKER_SOCKET' | 'METRICS_TOKEN_FILE'>;

const longest = 2_000;

/** The worker's metrics, if a worker is named. A worker that is down shows by their absence. */
export async function workerMetrics(place: WorkerAddress): Promise<string> {
  const { WORKER_METRICS_URL: url, WORKER_SOCKET: socket } = place;
  const signal = AbortSignal.timeout(longest);
  if (url !== undefined) return await fromAddress(url, place.METRICS_TOKEN_FILE, signal).catch(() => '');
  // Elsewhere somebody else could tell what the worker's metrics are.
  if (socket === undefined || !isOwnDirectory(dirname(socket))) return '';
  return await fromSocket(socket, signal).catch(() => '');
}

async function fromAddress(url: string, tokenFile: string, signal: AbortSignal): Promise<string> {
  const headers = { authorization: `Bearer ${await metricsToken(tokenFile)}` };
  const answer = await fetch(url, { headers, signal, redirect: 'error' });
  return answer.ok ? await answer.text() : '';
}

async function fromSocket(socketPath: string, signal: AbortSignal): Promise<string> {
  const asked = request({ socketPath, path: '/metrics', agent: false, signal });
  const answered = new Promise<string>((resolve, reject) => {
    asked.once('error', reject);
    asked.once('response', (answer) => {
      text(answer).then((body) => resolve(answer.statusCode === 200 ? body : ''), reject);
    });
  });
  asked.end();
  return await answered;
}
