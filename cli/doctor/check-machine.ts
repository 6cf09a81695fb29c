import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../domain/settings/settings.ts';
import { portHolders } from '../../machine/port-holders.ts';
import { isAlive } from '../../machine/process-identity.ts';
import { freeBytes, laterStartBytes } from '../../runtime/home/disk.ts';
import { readHome } from '../../runtime/home/home.ts';
import { bindingError } from '../../runtime/sockets/ports.ts';
import { messageOf } from '../../runtime/supervisor/refusal.ts';
import { type RunRecord, readRunRecord } from '../../runtime/supervisor/run-record.ts';
import { compareVersions } from '../../runtime/supervisor/versions.ts';
import { broken, type Check, idle, ok } from './check.ts';

/** Whether this home's supervisor runs, and which processes it keeps. */
export function runningInstallation(settings: Settings): RunRecord | undefined {
  try {
    const record = readRunRecord(readHome(settings.BALLAST_HOME));
    return record && isAlive(record.supervisor) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Checks that ask no other process. */
export function machineChecks(settings: Settings, running: RunRecord | undefined): Check[] {
  return [
    { name: 'Node', run: node },
    { name: 'Packages', run: packages },
    { name: 'Home', run: async () => home(settings) },
    { name: 'Disk', run: async () => disk(settings) },
    { name: 'Keys file', run: async () => keysFile(settings) },
    { name: 'Supervisor', run: async () => supervisor(running) },
    { name: 'Port', run: () => port(settings, running) },
  ];
}

async function node() {
  const { node: version } = process.versions;
  if (compareVersions(version, '22.18.0') >= 0) return ok(version);
  return broken(
    `This is Node ${version}.`,
    'Start through `./ballast`, which uses the packaged Node, or install Node 24.',
  );
}

async function packages() {
  const record = fileURLToPath(new URL('../../node_modules/.package-lock.json', import.meta.url));
  try {
    statSync(record);
    return ok('installed');
  } catch {
    return broken('node_modules is incomplete.', 'Run `npm ci`.');
  }
}

function home(settings: Settings) {
  const path = settings.BALLAST_HOME;
  try {
    readHome(path);
  } catch (error) {
    const absent = messageOf(error).includes('is not a home');
    return absent
      ? idle(`${path} is not there yet; the first start creates it`)
      : broken(messageOf(error), 'Fix this as the message says.');
  }
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0) return broken(`Others can read ${path}.`, `Run \`chmod 700 ${path}\`.`);
  const me = process.getuid?.();
  if (me !== undefined && uid !== me && me !== 0) {
    return broken(`${path} belongs to user ${uid}.`, 'Run this as the user that starts Ballast.');
  }
  return ok(path);
}

function disk(settings: Settings) {
  const free = freeBytes(settings.BALLAST_HOME);
  const said = `${(free / 1024 ** 3).toFixed(1)} GB free for ${settings.BALLAST_HOME}`;
  return free >= laterStartBytes
    ? ok(said)
    : broken(`${said}.`, 'Free some space: PostgreSQL stops when the disk is full.');
}

function keysFile(settings: Settings) {
  const path = settings.KEYS_FILE;
  try {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0) return broken(`Others can read ${path}.`, `Run \`chmod 600 ${path}\`.`);
    JSON.parse(readFileSync(path, 'utf8'));
    return ok(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return idle(`${path} is not there yet; the first start creates it`);
    return broken(
      `${path} cannot be read (${String(code ?? 'damaged')}).`,
      'Restore it from a backup: secrets need it.',
    );
  }
}

function supervisor(running: RunRecord | undefined) {
  if (running === undefined) return idle('`./ballast up` does not run with this home');
  const dead = Object.entries(running.parts).filter(([, part]) => !isAlive(part));
  if (dead.length === 0) return ok(`runs as process ${running.supervisor.pid} at ${running.address}`);
  return broken(
    `${dead.map(([name]) => name).join(', ')} just ended.`,
    'It is started again by itself; see its log in the home.',
  );
}

async function port(settings: Settings, running: RunRecord | undefined) {
  if (running) return heldPort(settings.PORT, running);
  const code = await bindingError(settings.PORT, settings.LISTEN);
  if (code === undefined) return ok(`${settings.PORT} of ${settings.LISTEN} is free`);
  return broken(
    `Port ${settings.PORT} of ${settings.LISTEN} cannot be opened (${code}).`,
    'Stop the program that has it, or set PORT to another one.',
  );
}

/** An answer on the port proves nothing; the system knows whose socket it is. */
function heldPort(port: number, { supervisor, parts }: RunRecord) {
  const holders = portHolders(port);
  if (holders.length === 0) return ok(`${port} was opened by the supervisor; this user cannot see who holds it`);
  const ours = new Set([supervisor.pid, ...Object.values(parts).map(({ pid }) => pid)]);
  const stranger = holders.find(({ pid }) => !ours.has(pid));
  if (stranger === undefined) return ok(`${port} is ours`);
  return broken(
    `Port ${port} is held by ${stranger.program} (process ${stranger.pid}), which is no part of Ballast.`,
    'Do not sign in there; stop that program, and start Ballast again.',
  );
}
