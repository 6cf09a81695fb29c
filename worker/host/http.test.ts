import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHttp, type WorkerHttp } from './http.ts';

let directory: string;
let http: WorkerHttp;
const token = 'y'.repeat(43);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ballast-worker-http-'));
  http = await open();
});
afterEach(async () => {
  await http.close();
  rmSync(directory, { recursive: true });
});

function open(): Promise<WorkerHttp> {
  return openHttp({
    at: { port: 0 },
    socket: join(directory, 'worker.sock'),
    tokenFile: join(directory, 'metrics-token'),
    state: () => ({ ready: true, parts: {} }),
    metrics: async () => 'ballast_worker_serving 1\n',
  });
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, { headers });
  return [answer.status, await answer.text()];
}

function askSocket(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath: join(directory, 'worker.sock'), path }, (answer) => text(answer).then(resolve, reject))
      .once('error', reject)
      .end();
  });
}

test('being on this machine is no right to read the metrics; the token is, as soon as it is there', async () => {
  const shown = { authorization: `Bearer ${token}` };
  expect(await ask('/metrics')).toEqual([403, expect.stringContaining('METRICS_TOKEN_FILE')]);
  expect((await ask('/metrics', shown))[0]).toBe(403);
  writeFileSync(join(directory, 'metrics-token'), `${token}\n`);
  expect((await ask('/metrics'))[0]).toBe(403);
  expect((await ask('/metrics', { authorization: `Bearer ${'x'.repeat(43)}` }))[0]).toBe(403);
  expect(await ask('/metrics', shown)).toEqual([200, 'ballast_worker_serving 1\n']);
});

test('health is told to everybody', async () => {
  expect(await ask('/healthz')).toEqual([200, 'alive\n']);
  expect((await ask('/readyz'))[0]).toBe(200);
});

test('the socket lets only its user in, and needs no token', async () => {
  expect(await askSocket('/metrics')).toBe('ballast_worker_serving 1\n');
  await expect(open()).rejects.toThrow(/^WORKER_SOCKET \S+ is served by another process/);
  chmodSync(directory, 0o755);
  await expect(open()).rejects.toThrow(/^WORKER_SOCKET is \S+, whose directory .+ can be entered by other users/);
});
