import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../../runtime/sockets/ports.ts';
import { temporalVersion } from '../../runtime/supervisor/versions.ts';
import { buildArguments, findGo } from '../../runtime/temporal-server/temporal-build.ts';
import { removeHome } from '../../test/ground/remove-home.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { end, surroundings } from '../engine/node-process.ts';
import { temporaryDirectory } from '../ground/ground.ts';

const row = 'until the Temporal server is built';

/** Each round compiles everything twice, for minutes. The source is downloaded before. */
export const temporalBuild: Benchmark = {
  name: 'temporal-build',
  what: 'a first start that builds the Temporal server, against the same `go build` alone',
  rows: [{ name: row, unit: 's', better: 'less', mostBeside: (alone) => alone * 1.3 }],
  rounds: 1,
  open,
};

const source = new URL('../../runtime/temporal-server/source/', import.meta.url);
const cachedServer = `temporal-server-${temporalVersion}-${process.platform}-${process.arch}`;

async function open(): Promise<Opened> {
  const go = await findGo({ env: process.env, release: 'not asked for' });
  await finished(spawn(go, ['mod', 'download'], { cwd: source, stdio: 'ignore' }));
  return {
    reference: () => inEmptyCache((directory) => alone(go, directory)),
    subject: () => inEmptyCache(asPartOfStart),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Nothing is compiled yet, for either. */
async function inEmptyCache(build: (directory: string) => Promise<void>): Promise<Figures> {
  const directory = temporaryDirectory();
  try {
    const began = performance.now();
    await build(directory);
    return { [row]: (performance.now() - began) / 1_000 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function alone(go: string, directory: string): Promise<void> {
  await finished(
    spawn(go, buildArguments(directory), {
      cwd: source,
      env: { ...environment(directory), CGO_ENABLED: '0' },
      stdio: 'ignore',
    }),
  );
}

async function asPartOfStart(directory: string): Promise<void> {
  const home = join(directory, 'home');
  const { port } = await freePorts(['port'], {});
  const { TEMPORAL_SERVER: _, ...env } = environment(directory);
  const child = spawn('./ballast', ['up'], {
    cwd: new URL('../..', import.meta.url),
    env: { ...env, BALLAST_HOME: home, PORT: String(port), LOCAL_CLUSTER: 'false' },
    stdio: 'ignore',
  });
  try {
    while (!existsSync(join(directory, 'ballast', cachedServer))) {
      if (child.exitCode !== null) throw new Error(`\`./ballast up\` ended with code ${child.exitCode}.`);
      await pause(50);
    }
  } finally {
    await end(child, 'SIGINT');
    removeHome(home);
  }
}

/** The release is out of reach, since nobody listens at that port. */
function environment(directory: string): Record<string, string> {
  const nowhere = 'http://127.0.0.1:1';
  return {
    ...surroundings(),
    ...{ XDG_CACHE_HOME: directory, GOCACHE: join(directory, 'compiled'), HTTPS_PROXY: nowhere, https_proxy: nowhere },
  };
}

async function finished(child: ReturnType<typeof spawn>): Promise<void> {
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`Go ended with code ${code}.`);
}
