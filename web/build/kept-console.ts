import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  constants as access,
  accessSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

const web = join(import.meta.dirname, '..');
const checkout = join(web, '..');

/** Beside the packages that it is made of: all installations that run from a checkout share it. */
const shared = join(checkout, 'node_modules', '.cache', 'ballast');
const longestBuild = 300_000;
const longestHalfMade = 3_600_000;

/**
 * The directory with the built console of these sources. Built once, under the hash of all inputs, in `ownCache` where
 * the checkout is not writable. A build takes some seconds, in a process of low priority.
 */
export async function keptConsole(ownCache: string, signal: AbortSignal): Promise<string> {
  const name = `console-${hashOfInputs()}`;
  const caches = [shared, ownCache];
  const kept = caches.map((cache) => join(cache, name)).find(isWhole);
  if (kept !== undefined) return kept;
  const cache = caches.find(canWrite);
  if (cache === undefined) throw new Error(`Neither ${shared} nor ${ownCache} can be written.`);
  if (!existsSync(join(checkout, 'node_modules', 'vite'))) {
    throw new Error(
      'The console is not built, and the packages that build it were left out; run `npm ci --include=dev`.',
    );
  }
  const wanted = join(cache, name);
  const made = mkdtempSync(join(cache, 'making-console-'));
  try {
    await run(join(web, 'build', 'make-console.ts'), made, signal);
    // The API may run as another user than the one who builds.
    chmodSync(made, 0o755);
    if (!isWhole(wanted)) rmSync(wanted, { recursive: true, force: true });
    renameSync(made, wanted);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // A concurrent build may have finished first.
    if (!isWhole(wanted)) throw error;
  }
  tidy(cache, name);
  return wanted;
}

/** Deletes builds of older sources, and the leftovers of killed builds. */
function tidy(cache: string, name: string): void {
  for (const other of readdirSync(cache)) {
    const path = join(cache, other);
    const older = /^console-[0-9a-f]{32}$/.test(other) && other !== name;
    const halfMade = other.startsWith('making-console-') && Date.now() - statSync(path).mtimeMs > longestHalfMade;
    if (older || halfMade) rmSync(path, { recursive: true, force: true });
  }
}

/** Whether the build is complete: an interrupted copy lacks its index, or the end of it. */
function isWhole(directory: string): boolean {
  try {
    return readFileSync(join(directory, 'index.html'), 'utf8').trimEnd().endsWith('</html>');
  } catch {
    return false;
  }
}

function canWrite(directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    accessSync(directory, access.W_OK);
    return true;
  } catch {
    return false;
  }
}

function hashOfInputs(): string {
  const hash = createHash('sha256');
  const sources = [web, join(checkout, 'domain'), join(checkout, 'workflows')]
    .flatMap((room) => readdirSync(room, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  const others = ['package-lock.json', join('pages', 'tokens.css')].map((name) => join(checkout, name));
  for (const file of [...sources, ...others]) {
    hash.update(`${file.slice(checkout.length)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 32);
}

function run(program: string, directory: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, directory], {
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: AbortSignal.any([signal, AbortSignal.timeout(longestBuild)]),
    });
    if (child.pid !== undefined) {
      try {
        setPriority(child.pid, constants.priority.PRIORITY_LOW);
      } catch {
        // Priority is best effort: the child may have ended already, or the system may refuse.
      }
    }
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-4_000);
    });
    let failure: Error | undefined;
    child.once('error', (error) => {
      failure = error;
      if (child.pid === undefined) reject(error);
    });
    // `close` comes after all output, unlike `exit`: nothing writes to the directory any more.
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(failure ?? new Error(`The console could not be built.\n${said}`)),
    );
  });
}

/** Run before the development packages are pruned, so that the server need not be able to build. */
if (import.meta.main) process.stdout.write(`${await keptConsole(shared, new AbortController().signal)}\n`);
