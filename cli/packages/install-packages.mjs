// Brings node_modules to what the lockfile says. Dependency-free, like cli/enter.mjs that calls it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** @param {string} checkout */
export async function installPackages(checkout) {
  if (arePackagesInstalled(checkout)) return;
  const release = await lock(checkout);
  try {
    // Another start may have done it while we waited.
    if (!arePackagesInstalled(checkout)) await install(checkout);
  } finally {
    release();
  }
}

/**
 * The lockfile's hash is stamped into node_modules; without a stamp (after an `npm install`) npm's own record decides.
 * @param {string} checkout
 */
export function arePackagesInstalled(checkout) {
  const lockfile = read(join(checkout, 'package-lock.json'));
  if (lockfile === undefined) throw new Error('package-lock.json is missing; clone the repository again.');
  const stampPath = join(checkout, 'node_modules', '.ballast-installed');
  const stamp = stampOf(lockfile);
  if (read(stampPath) === stamp) return true;
  const record = read(join(checkout, 'node_modules', '.package-lock.json'));
  if (record === undefined || !sameVersions(JSON.parse(lockfile).packages, JSON.parse(record).packages)) return false;
  try {
    writeFileSync(stampPath, stamp);
  } catch {
    // A checkout of somebody else: it is compared again next time.
  }
  return true;
}

function sameVersions(wanted, present) {
  // An installation by `npm ci --omit=dev` leaves developers' packages out: then none of them is there.
  const lean = !Object.entries(wanted).some(([path, { dev }]) => dev && present[path]);
  return Object.entries(wanted).every(([path, { integrity, optional, dev, devOptional }]) => {
    const there = present[path];
    if (path === '' || there) return path === '' || there.integrity === integrity;
    return optional === true || (lean && Boolean(dev || devOptional));
  });
}

function stampOf(lockfile) {
  return createHash('sha256').update(`${process.platform}-${process.arch}\n${lockfile}`).digest('hex');
}

async function install(checkout) {
  const { npm_execpath: npmScript } = process.env;
  const byScript = npmScript?.endsWith('.js');
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const [file, ...before] = byScript ? [process.execPath, npmScript] : ['npm'];
  const child = spawn(file, [...before, ...args], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: npmEnvironment(),
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (said = `${said}${chunk}`.slice(0, 100_000)));
  const done = showProgress('Installing packages');
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('close', resolve);
  });
  done(code === 0);
  if (code === undefined) throw new Error('npm was not found; install it with Node from https://nodejs.org.');
  if (code !== 0)
    throw new Error(`The packages could not be installed (${essence(said)}); run \`npm ci\` to see more.`);
  writeFileSync(
    join(checkout, 'node_modules', '.ballast-installed'),
    stampOf(read(join(checkout, 'package-lock.json'))),
  );
}

/** npm says what went wrong first, and then a page about itself. */
function essence(said) {
  const lines = said.split('\n').flatMap((line) => /^npm error (?!code )(.*\S)/.exec(line)?.[1] ?? []);
  return lines.slice(0, 2).join(' ').slice(0, 400) || 'npm said nothing';
}

/** Without what `npm start` told about itself: a nested npm takes its options from there. */
function npmEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package|command)/.test(name));
  return Object.fromEntries(kept);
}

/** On a terminal a line that counts the seconds; elsewhere a line now and then, so that no log is ever silent. */
function showProgress(what) {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const live = process.stderr.isTTY;
  if (!live) process.stderr.write(`${what} …\n`);
  const timer = setInterval(
    () => process.stderr.write(live ? `\r${what} … ${seconds()} s` : `${what} … ${seconds()} s\n`),
    live ? 500 : 15_000,
  );
  return (good) => {
    clearInterval(timer);
    process.stderr.write(`${live ? '\r\x1b[K' : ''}${good ? '✓' : '✗'} ${what} (${seconds()} s)\n`);
  };
}

/** One installation at a time for a checkout: the file is made only if there is none, and names who made it. */
async function lock(checkout) {
  const cache = cacheDirectory();
  const path = join(cache, `install-${createHash('sha256').update(checkout).digest('hex').slice(0, 16)}.lock`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  for (let told = false; ; ) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      const release = () => rmSync(path, { force: true });
      process.once('exit', release);
      return release;
    } catch (error) {
      if (error.code !== 'EEXIST')
        throw new Error(`${path} cannot be written (${error.code}); make its directory writable.`);
    }
    const holder = Number(read(path));
    if (holder > 0 && !isAlive(holder)) rmSync(path, { force: true });
    else if (!told) {
      process.stderr.write(
        `Waiting for process ${holder || '?'} that installs the packages; if there is none, delete ${path}.\n`,
      );
      told = true;
    }
    await wait(300);
  }
}

/** As in runtime/home/cache.ts, which cannot be loaded here yet. */
export function cacheDirectory() {
  const xdg = process.env.XDG_CACHE_HOME;
  return join(xdg?.startsWith('/') ? xdg : join(homedir(), '.cache'), 'ballast');
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
