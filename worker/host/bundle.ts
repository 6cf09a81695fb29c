import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { failureConverterPath } from '../../temporal/connection/codec.ts';
import { workflowEntry } from './workflow-entry.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
const program = fileURLToPath(new URL('make-bundle.ts', import.meta.url));
const run = promisify(execFile);
const mostBytes = 64 * 1024 * 1024;
const tracingInterceptors = '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors';

/** Beside the packages that it is made of: all installations that run from a checkout share it. */
const ofCheckout = join(checkout, 'node_modules', '.cache', 'ballast');

export interface Bundling {
  /** Where the bundle is kept, so that the next start need not make it again, if it cannot be kept in `shared`. */
  cache: string;
  shared?: string;
  /** Whether workflows take part in traces. */
  tracing?: boolean;
  log?: Logger;
  /** Ends the making. */
  signal?: AbortSignal;
}

/** The workflows as one script. Building it takes seconds, so it is cached under the hash of its sources. */
export async function workflowBundle(bundling: Bundling): Promise<{ code: string }> {
  const { cache, shared = ofCheckout, tracing = false, log, signal } = bundling;
  const name = `workflows-${await hashOfInputs(tracing)}.js`;
  for (const place of [shared, cache]) {
    const kept = await readFile(join(place, name), 'utf8').catch(() => undefined);
    if (kept !== undefined) return { code: kept };
  }
  const code = await makeBundle(tracing, signal);
  await keep(shared, name, code)
    .catch(() => keep(cache, name, code))
    .catch((error: unknown) => {
      log?.warn({ err: error }, 'The bundle of the workflows could not be cached; the next start builds it again');
    });
  return { code };
}

/** By a program of its own: the compiler takes 100 MB, which a process that compiled once would keep. */
async function makeBundle(tracing: boolean, signal: AbortSignal | undefined): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', program, ...(tracing ? [tracingInterceptors] : [])];
  const { stdout } = await run(process.execPath, args, { maxBuffer: mostBytes, signal });
  return stdout;
}

/** Written aside and renamed: a process that starts at the same moment finds a whole file or none. */
async function keep(cache: string, name: string, code: string): Promise<void> {
  await mkdir(cache, { recursive: true, mode: 0o700 });
  const aside = join(cache, `${name}.${process.pid}`);
  await writeFile(aside, code, { mode: 0o600 });
  await rename(aside, join(cache, name));
  const older = (await readdir(cache)).filter((file) => /^workflows-[0-9a-f]+\.js$/.test(file) && file !== name);
  // Two: the bundles with and without tracing of this version may take turns.
  await Promise.all(older.slice(2).map((file) => rm(join(cache, file), { force: true })));
}

/** All that the bundle is made of: our own files, the programs that join and make it, and the versions of the packages that they import. */
async function hashOfInputs(tracing: boolean): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify({ tracing, checkout, entry: workflowEntry() }));
  for (const room of ['domain', 'workflows']) {
    const files = (await readdir(join(checkout, room), { recursive: true }))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .sort();
    for (const file of files) {
      hash.update(`${room}/${file}\0`);
      hash.update(await readFile(join(checkout, room, file)));
    }
  }
  for (const file of [program, failureConverterPath]) hash.update(await readFile(file));
  for (const name of ['common', 'interceptors-opentelemetry', 'worker', 'workflow']) {
    hash.update(await readFile(require.resolve(`@temporalio/${name}/package.json`)));
  }
  return hash.digest('hex').slice(0, 32);
}
