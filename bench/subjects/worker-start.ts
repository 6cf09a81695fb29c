import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Client } from 'pg';
import { createKeysFile } from '../../db/keys/keys.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { startGround } from '../../runtime/ground.ts';
import { freePorts } from '../../runtime/sockets/ports.ts';
import { readyFd } from '../../runtime/supervisor/part.ts';
import { removeHome } from '../../test/ground/remove-home.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { cpuSeconds } from '../engine/cpu-time.ts';
import { end, surroundings } from '../engine/node-process.ts';
import { temporalEnv, temporaryDirectory } from '../ground/ground.ts';

const first = 'CPU of the first start of a worker';
const later = 'CPU of later starts';
const here = join(import.meta.dirname, '..', '..');

let reference = here;

/** The checkout of an older version, with its packages, that the worker is compared with. */
export function compareWith(checkout: string): void {
  reference = checkout;
}

/** Processor time, children included, from `./ballast worker` until it is ready: its ratio holds on a busy machine, too. */
export const workerStart: Benchmark = {
  name: 'worker-start',
  what: 'processor time of a worker until it is ready, against that of the checkout of --against',
  rows: [first, later].map((name) => ({ name, unit: 's', better: 'less' })),
  open,
};

interface Side {
  checkout: string;
  env: Record<string, string>;
}

async function open(): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const directory = temporaryDirectory();
  opening.defer(() => rmSync(directory, { recursive: true, force: true }));
  const home = join(directory, 'home');
  const { TEMPORAL_SERVER } = readSettings(process.env);
  const ground = await startGround({ home, temporalServer: TEMPORAL_SERVER, log: () => undefined });
  opening.defer(async () => {
    await ground.stop();
    removeHome(home);
  });
  const keysFile = join(directory, 'keys.json');
  await createKeysFile(keysFile);
  const env = { KEYS_FILE: keysFile, BALLAST_HOME: directory, ...temporalEnv(ground) };
  // Each has a database of its own, since their schemas may differ.
  const sides = {
    reference: await sideOf(reference, 'bench_reference', ground.postgres.adminUrl, env),
    subject: await sideOf(here, 'bench_subject', ground.postgres.adminUrl, env),
  };
  const opened = opening.move();
  return {
    reference: () => twoStarts(sides.reference, directory),
    subject: () => twoStarts(sides.subject, directory),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function sideOf(
  checkout: string,
  database: string,
  adminUrl: string,
  env: Record<string, string>,
): Promise<Side> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`create database ${database}`);
  await admin.end();
  const url = adminUrl.replace(/\/postgres(?=\?|$)/, `/${database}`);
  const side = { checkout, env: { ...env, DATABASE_URL: url } };
  const [code] = await once(run(side, ['migrate'], surroundings()), 'exit');
  if (code !== 0) throw new Error(`${checkout}: ./ballast migrate ended with code ${code}.`);
  return side;
}

/** With nothing kept, and then with all that the first start keeps. */
async function twoStarts(side: Side, directory: string): Promise<Figures> {
  const caches = mkdtempSync(join(directory, 'cache-'));
  const kept = join(side.checkout, 'node_modules', '.cache', 'ballast');
  const made = existsSync(kept) ? readdirSync(kept).filter((name) => name.startsWith('workflows-')) : [];
  for (const name of made) rmSync(join(kept, name));
  return {
    [first]: await oneStart(side, caches),
    [later]: await oneStart(side, caches),
  };
}

async function oneStart(side: Side, caches: string): Promise<number> {
  const { port } = await freePorts(['port'], {});
  const { NODE_COMPILE_CACHE: _, ...env } = surroundings();
  const child = run(side, ['worker'], {
    ...env,
    ...{ XDG_CACHE_HOME: caches, WORKER_PORT: String(port), BALLAST_HANDED_OVER: '0' },
  });
  try {
    const told = child.stdio[readyFd] as Readable;
    await Promise.race([
      once(told, 'data'),
      once(child, 'exit').then(() =>
        Promise.reject(new Error(`A worker of ${side.checkout} ended before it was ready.`)),
      ),
    ]);
    return cpuSeconds([child.pid ?? 0]);
  } finally {
    await end(child);
  }
}

function run({ checkout, env }: Side, args: readonly string[], more: Record<string, string>): ChildProcess {
  const log = openSync(join(env.BALLAST_HOME ?? '', 'worker.log'), 'a');
  const child = spawn(join(checkout, 'ballast'), [...args], {
    cwd: checkout,
    env: { ...more, ...env },
    stdio: ['ignore', log, log, 'pipe'],
  });
  closeSync(log);
  return child;
}
