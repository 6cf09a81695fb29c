import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  constants as access,
  accessSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

const web = join(import.meta.dirname, '..');
const checkout = join(web, '..');

/** Beside the packages that it is made of: all installations that run from a checkout share it. */
const shared = join(checkout, 'node_modules', '.cache', 'ballast');

/**
 * The directory with the built console of these sources. It is made once, under the hash of all that goes into it; where
 * the checkout may not be written, in `ownCache`. It takes some seconds; a process of its own does it, behind all others.
 */
export async function keptConsole(ownCache: string, signal: AbortSignal): Promise<string> {
  const name = `console-${hashOfInputs()}`;
  const caches = [shared, ownCache];
  const kept = caches.map((cache) => join(cache, name)).find((directory) => existsSync(directory));
  if (kept !== undefined) return kept;
  const cache = caches.find(canWrite);
  if (cache === undefined) throw new Error(`Neither ${shared} nor ${ownCache} can be written.`);
  const made = mkdtempSync(join(cache, 'making-console-'));
  try {
    await run(join(web, 'build', 'make-console.ts'), made, signal);
    renameSync(made, join(cache, name));
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another one was faster.
    if (!existsSync(join(cache, name))) throw error;
  }
  for (const other of readdirSync(cache)) {
    if (/^console-[0-9a-f]{32}$/.test(other) && other !== name)
      rmSync(join(cache, other), { recursive: true, force: true });
  }
  return join(cache, name);
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
  const sources = [web, join(checkout, 'domain')]
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
    const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'ignore', 'pipe'], signal });
    if (child.pid !== undefined) {
      try {
        setPriority(child.pid, constants.priority.PRIORITY_LOW);
      } catch {
        // It has ended already, or may not be changed: then it is made beside the others.
      }
    }
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-4_000);
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`The console could not be built.\n${said}`)),
    );
  });
}
