import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { v7 as uuid } from 'uuid';
import { inject } from 'vitest';
import { createKeysFile } from '../../db/keys/keys.ts';
import { bareEnvironment } from '../ground/bare-environment.ts';
import { type FreshDatabase, freshDatabase } from '../ground/fresh-database.ts';
import { groundTemporalSettings } from '../ground/ground-temporal.ts';
import { proxyTo, type TcpProxy } from '../ground/proxy.ts';
import { until } from '../ground/until.ts';
import { deletedOrganization, deletionRow } from './actors.ts';

const program = fileURLToPath(new URL('../../worker/main.ts', import.meta.url));

export interface WorkerProcess {
  child: ChildProcess;
  lines: string[];
  errors: string[];
  readyz(): Promise<{ status: number; parts: Record<string, string> }>;
  text(path: string, headers?: Record<string, string>): Promise<string>;
  /** Resolves once it says so on its output. */
  says(text: string): Promise<unknown>;
  ready(): Promise<unknown>;
  ended(): Promise<number | null>;
}

/** Workers as processes, with a home, a database and a namespace of their own, behind proxies. */
export class WorkerProcesses {
  readonly fresh: FreshDatabase;
  readonly home: string;
  readonly temporal: TcpProxy;
  readonly postgres: TcpProxy;
  readonly namespace = `worker-${uuid()}`;
  readonly #environment: Record<string, string>;
  readonly #running = new Set<ChildProcess>();

  private constructor(fresh: FreshDatabase, home: string, temporal: TcpProxy, postgres: TcpProxy) {
    this.fresh = fresh;
    this.home = home;
    this.temporal = temporal;
    this.postgres = postgres;
    const url = new URL(fresh.url);
    url.host = postgres.address;
    this.#environment = {
      ...bareEnvironment,
      BALLAST_HOME: home,
      KEYS_FILE: join(home, 'keys.json'),
      METRICS_TOKEN_FILE: join(home, 'metrics-token'),
      DATABASE_URL: url.href,
      ...groundTemporalSettings(this.namespace, temporal.address),
    };
  }

  static async open(): Promise<WorkerProcesses> {
    const fresh = await freshDatabase();
    const home = await mkdtemp(join(tmpdir(), 'ballast-worker-'));
    await createKeysFile(join(home, 'keys.json'));
    const temporal = await proxyTo(inject('ground').temporal.address);
    const postgres = await proxyTo(new URL(fresh.url).host);
    return new WorkerProcesses(fresh, home, temporal, postgres);
  }

  start(more: Record<string, string> = {}): WorkerProcess {
    const child = spawn(process.execPath, [program], {
      env: { ...this.#environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    const lines: string[] = [];
    const errors: string[] = [];
    if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(line));
    if (child.stderr) createInterface(child.stderr).on('line', (line) => errors.push(line));
    const exit = once(child, 'close').then(([code]) => {
      this.#running.delete(child);
      return code;
    });
    const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
      const begun = await until('its port', async () => lines.find((line) => line.includes('Worker begins')));
      return fetch(`http://127.0.0.1:${JSON.parse(begun).port}${path}`, { headers });
    };
    const readyz = async () => {
      const answer = await get('/readyz');
      return { status: answer.status, parts: JSON.parse(await answer.text()).parts };
    };
    return {
      child,
      lines,
      errors,
      readyz,
      text: async (path, headers) => (await get(path, headers)).text(),
      says: (text) => until(`it says: ${text}`, async () => lines.some((line) => line.includes(text))),
      ready: () => until('the worker is ready', async () => (await readyz()).status === 200),
      ended: () => exit,
    };
  }

  /** An organization without retention, whose deletion only a worker can bring to its end. */
  deleted(): ReturnType<typeof deletedOrganization> {
    return deletedOrganization(this.fresh.database, 0);
  }

  async purged({ deletionId }: { deletionId: string }): Promise<void> {
    const { database } = this.fresh;
    await until('it is purged', async () => (await deletionRow(database, deletionId)).state === 'purged');
  }

  kill(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }

  async close(): Promise<void> {
    await Promise.all([this.temporal.close(), this.postgres.close()]);
    await this.fresh.drop();
    await rm(this.home, { recursive: true });
  }
}
