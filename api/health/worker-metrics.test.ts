import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHttp, type WorkerHttp } from '../../worker/host/http.ts';
import { workerMetrics } from './metrics.ts';

let directory: string;
let worker: WorkerHttp;
const files = () => ({
  WORKER_SOCKET: join(directory, 'worker.sock'),
  METRICS_TOKEN_FILE: join(directory, 'metrics-token'),
});

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-worker-metrics-'));
  const { WORKER_SOCKET: socket, METRICS_TOKEN_FILE: tokenFile } = files();
  writeFileSync(tokenFile, `${'y'.repeat(43)}\n`);
  const told = { state: () => ({ ready: true, parts: {} }), metrics: async () => 'ballast_worker_serving 1\n' };
  worker = await openHttp({ at: { port: 0 }, socket, tokenFile, ...told });
});
afterEach(async () => {
  await worker.close();
  rmSync(directory, { recursive: true });
});

test('the metrics of the worker at the socket are read, unless others may have made it', async () => {
  const place = { ...files(), WORKER_METRICS_URL: undefined };
  expect(await workerMetrics(place)).toBe('ballast_worker_serving 1\n');
  chmodSync(directory, 0o755);
  expect(await workerMetrics(place)).toBe('');
});

test('a worker that is named by its address is shown the token', async () => {
  const place = { ...files(), WORKER_METRICS_URL: `http://127.0.0.1:${worker.port}/metrics` };
  expect(await workerMetrics(place)).toBe('ballast_worker_serving 1\n');
  rmSync(place.METRICS_TOKEN_FILE);
  expect(await workerMetrics(place)).toBe('');
});

test('a worker that is down, or none at all, shows by the absence of its metrics', async () => {
  await worker.close();
  expect(await workerMetrics({ ...files(), WORKER_METRICS_URL: undefined })).toBe('');
  const unnamed = { ...files(), WORKER_SOCKET: undefined, WORKER_METRICS_URL: undefined };
  expect(await workerMetrics(unnamed)).toBe('');
});
