import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { accessSync, closeSync, constants, mkdtempSync, openSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { identify, isAlive, type ProcessIdentity, signal } from '../../machine/process-identity.ts';
import { until } from '../ground/until.ts';
import { apart } from '../run/apart.ts';
import { notRun } from '../run/not-run.ts';

/** A Docker engine of the test's own: nothing it makes is seen by another engine of this machine. */
export interface DockerEngine {
  socket: string;
  /** Of this machine on the engine's bridge; empty without one. */
  address: string;
  /** Ends it with all that it runs, and leaves nothing. */
  stop(): Promise<void>;
}

/** Whether engines can be started here; says what is missing once if not. */
export function dockerCanRun(): boolean {
  if (process.getuid?.() === 0 && findProgram('dockerd') !== undefined) return true;
  notRun('docker', 'install docker.io (dockerd) and run as root', 'docker.io');
  return false;
}

/** `bridged`: it has a bridge. `networks`: how many it can create, fewer than the usual 31. */
export async function dockerEngine({ bridged = false, networks = 0 } = {}): Promise<DockerEngine> {
  const end = await apart('engine');
  const directory = mkdtempSync(join(tmpdir(), 'ballast-docker-'));
  const socket = join(directory, 'engine.sock');
  const cgroup = basename(directory);
  let daemon: ProcessIdentity | undefined;
  // Of another name than the usual.
  const bridge = bridged ? `bl${randomBytes(4).toString('hex')}` : 'none';
  const address = bridged ? `10.213.${randomInt(256)}.1` : '';
  if (bridged) {
    execFileSync('ip', ['link', 'add', bridge, 'type', 'bridge']);
    execFileSync('ip', ['address', 'add', `${address}/24`, 'dev', bridge]);
    execFileSync('ip', ['link', 'set', bridge, 'up']);
  }

  const spawnDaemon = (): void => {
    const log = openSync(join(directory, 'dockerd.log'), 'a');
    const child = spawn(
      'dockerd',
      [
        ...['--data-root', join(directory, 'data'), '--exec-root', join(directory, 'exec')],
        ...['--pidfile', join(directory, 'pid'), '--host', `unix://${socket}`, '--cgroup-parent', `/${cgroup}`],
        // The usual bridge has one name for all engines of a machine; networks that are made have names of their own.
        ...['--bridge', bridge, '--shutdown-timeout', '1'],
        ...Array.from({ length: networks }, (_, at) => `--default-address-pool=base=10.214.${at}.0/24,size=24`),
      ],
      { detached: true, stdio: ['ignore', log, log], cwd: directory },
    );
    child.unref();
    closeSync(log);
    daemon = identify(child.pid ?? 0);
  };
  const start = async (): Promise<void> => {
    spawnDaemon();
    const answers = async () => {
      // Engines that start at the same time disturb each other's firewall rules, and one of them ends.
      if (daemon === undefined || !isAlive(daemon)) spawnDaemon();
      return (await ask(socket, 'GET', '/_ping').catch(() => undefined)) !== undefined;
    };
    await until('The Docker engine answers', answers, 60).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${readFileSync(join(directory, 'dockerd.log'), 'utf8').slice(-2000)}`);
    });
  };
  const kill = async (): Promise<void> => {
    const killed = daemon;
    if (killed === undefined) return;
    signal({ ...killed }, 'SIGKILL');
    await until('The Docker engine is gone', async () => !isAlive(killed));
  };
  const stop = async (): Promise<void> => {
    // Bridges and their firewall rules outlive an engine unless it is asked to remove them.
    if (daemon === undefined || !isAlive(daemon)) await start().catch(() => undefined);
    await removeAll(socket).catch(() => undefined);
    if (daemon !== undefined) signal(daemon, 'SIGTERM');
    const ended = daemon;
    await until('The Docker engine ends', async () => ended === undefined || !isAlive(ended)).catch(kill);
    for (const pid of [...leftOver(directory), ...membersOf(cgroup)]) {
      const identity = identify(pid);
      if (identity !== undefined) signal(identity, 'SIGKILL');
    }
    await until('All of the Docker engine is gone', async () => leftOver(directory).length === 0);
    removeCgroups(cgroup);
    if (bridged) execFileSync('ip', ['link', 'delete', bridge]);
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
    end();
  };
  await start().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { socket, address, stop };
}

async function removeAll(socket: string): Promise<void> {
  const containers = (await ask(socket, 'GET', '/containers/json?all=1')) as { Id: string }[];
  await Promise.all(containers.map(({ Id }) => ask(socket, 'DELETE', `/containers/${Id}?force=1&v=1`)));
  await ask(socket, 'POST', '/networks/prune');
}

function ask(socket: string, method: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: socket, method, path, timeout: 10_000 }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve(text.startsWith('[') ? JSON.parse(text) : text);
      });
      answer.on('error', reject);
    });
    asked.on('timeout', () => asked.destroy(new Error('The Docker engine does not answer.')));
    asked.on('error', reject);
    asked.end();
  });
}

/** containerd and the shims name the engine's directory in their arguments. */
function leftOver(directory: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && argumentsOf(pid).includes(`${directory}/`));
}

function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function cgroupsOf(name: string): string[] {
  const hierarchies = ['', ...readdirSync('/sys/fs/cgroup')];
  return hierarchies.flatMap((hierarchy) => {
    const root = join('/sys/fs/cgroup', hierarchy, name);
    try {
      return [...readdirSync(root, { recursive: true, withFileTypes: true })]
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort((one, other) => other.length - one.length)
        .concat(root);
    } catch {
      return [];
    }
  });
}

function membersOf(name: string): number[] {
  return cgroupsOf(name).flatMap((cgroup) => {
    try {
      return readFileSync(join(cgroup, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  });
}

function removeCgroups(name: string): void {
  for (const cgroup of cgroupsOf(name)) {
    try {
      rmdirSync(cgroup);
    } catch {
      // The last process is about to end: only an empty group stays.
    }
  }
}

function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
