import type { ChildProcess } from 'node:child_process';
import { closeSync, constants as files, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { openProxy } from '../../../outbound/proxy.ts';
import type { OutboundRules } from '../../../outbound/rules.ts';
import { bareEnvironment } from '../../drivers/process/launch/begin-run.ts';
import { type ControlGroups, removeGroups } from '../../drivers/process/launch/control-groups.ts';
import { launchScript } from '../../drivers/process/launch/launch-script.ts';
import type { Followed } from '../build-settings.ts';
import { kill, spawnFirst, textOf } from './first-process.ts';
import { mappedUser, type Programs } from './inside.ts';
import { exceeding, type Limits, watchLimits } from './limits.ts';
import {
  giveTo,
  groupOf,
  initOf,
  type Mount,
  makeFolder,
  makeRoot,
  ownFolders,
  removeFolder,
  statusOf,
  writeMounts,
} from './mounts.ts';
import { proxyVariables, socketOf, trustOfMachine } from './network.ts';

export interface Sandboxed {
  /** A line for `/bin/sh -e -c`. */
  command: string;
  /** The folder with the source on this machine: `/build` inside. */
  directory: string;
  /** Where in it the command runs, relative; '' its root. */
  workdir: string;
  /** Folders of this machine that outlive the build, writable: `/cache/<name>` inside. */
  caches: readonly { name: string; directory: string }[];
  /** Read-only folders of this machine, e.g. toolchains: `at` inside, outside of the folders of the system. */
  tools: readonly { at: string; directory: string }[];
  /** Complete: nothing of the agent's own environment goes in. PATH, HOME, the proxy and Node's trust are set besides. */
  environment: Readonly<Record<string, string>>;
  limits: Limits;
  output(stream: 'stdout' | 'stderr', bytes: Buffer): void;
  /** Given its way out, as long as it runs; answers what ends that. */
  proxied?: ((proxy: Followed) => () => void) | undefined;
  signal: AbortSignal;
}

export type SandboxEnd =
  | { ended: 'exited'; code: number }
  | { ended: 'killed'; by: string }
  | { ended: 'seconds' | 'memory' | 'disk' | 'processes' | 'cancelled'; message: string };

/** The findings of `openSandbox` on this machine. */
export interface Sandbox {
  /** The holder of memory and processes. Time and disk are always watched. */
  readonly heldBy: 'control groups' | 'watcher';
  /** The user of builds; undefined where the agent is not root, and builds are its own user without its rights. */
  readonly user: number | undefined;
  readonly home: string;
  readonly programs: Programs;
  readonly outbound: OutboundRules;
  readonly groups: ControlGroups;
}

const cancelled: SandboxEnd = { ended: 'cancelled', message: 'The build was cancelled.' };

/** Runs a command in a sandbox of its own. Nothing of it is left when this is over. */
export async function runSandboxed(sandbox: Sandbox, run: Sandboxed): Promise<SandboxEnd> {
  if (run.signal.aborted) return cancelled;
  const { home, user } = sandbox;
  if (user !== undefined) await giveTo(user, run.directory, ...run.caches.map((cache) => cache.directory));
  const folder = await makeFolder(home, user, user === undefined);
  const groups = makeGroups(sandbox, folder, run.limits);
  try {
    writeMounts(folder, mountsOf(folder, user ?? mappedUser, run), home);
    return await started(sandbox, run, folder, groups);
  } finally {
    removeGroups(groups);
    sandbox.groups.close();
    await removeFolder(folder);
  }
}

function mountsOf(folder: string, user: number, { directory, caches, tools }: Sandboxed): Mount[] {
  const [tmp, own] = ownFolders(folder);
  const writable = { '/tmp': tmp, '/home/build': own, '/build': directory };
  const places = [...Object.entries(writable), ...caches.map((cache) => [`/cache/${cache.name}`, cache.directory])];
  return [
    ...makeRoot(join(folder, 'root'), user),
    ...tools.map(({ at, directory: from }): Mount => ({ from, at, kind: 'read-only' })),
    ...places.map(([at = '', from = '']): Mount => ({ from, at, kind: 'writable' })),
  ];
}

function makeGroups({ heldBy, groups }: Sandbox, folder: string, limits: Limits): string[] {
  if (heldBy === 'watcher') return [];
  // Besides those of the build there is the first process.
  const { memoryBytes, processes, cpuMilli } = limits;
  const cpu = cpuMilli === undefined ? {} : { cpuLimitMilli: cpuMilli };
  return groups.make(groupOf(folder), { memoryLimitBytes: memoryBytes, mostProcesses: processes + 1, ...cpu });
}

async function started(
  sandbox: Sandbox,
  run: Sandboxed,
  folder: string,
  groups: readonly string[],
): Promise<SandboxEnd> {
  const proxy = openProxy(sandbox.outbound);
  const unfollow = run.proxied?.(proxy);
  const outputs = (['stdout', 'stderr'] as const).map((stream) => readPipe(join(folder, stream), stream, run.output));
  let end: SandboxEnd | undefined;
  const [tmp, own] = ownFolders(folder);
  const child = spawnFirst({ ...sandbox, folder, groups, limits: run.limits });
  const trouble = textOf(child);
  const exit = new Promise<void>((resolve, reject) => child.once('close', () => resolve()).once('error', reject));
  const endBy = (why: SandboxEnd): void => {
    end ??= why;
    kill(child, folder);
  };
  const cancel = () => endBy(cancelled);
  run.signal.addEventListener('abort', cancel, { once: true });
  let watch: ReturnType<typeof watchLimits> | undefined;
  try {
    const server = await Promise.race([socketOf(child), exit.then(() => undefined)]);
    const init = initOf(folder);
    if (server !== undefined && init !== undefined) {
      proxy.serve(server);
      watch = watchLimits({
        ...{ limits: run.limits, groups, init: init.pid, counted: [run.directory, tmp, own] },
        growing: run.caches.map((cache) => cache.directory),
        exceeded: (ended, message) => endBy({ ended, message }),
      });
      // Nothing of the build begins before this, nor when the agent dies before it.
      child.stdin?.end(scriptOf(sandbox, run));
    }
    if (run.signal.aborted) cancel();
    await exit;
    for (const { close } of outputs) close();
    await Promise.all(outputs.map(({ over }) => over));
    watch?.lastLook();
  } finally {
    kill(child, folder);
    run.signal.removeEventListener('abort', cancel);
    watch?.stop();
    unfollow?.();
    proxy.close();
    for (const { socket } of outputs) socket.destroy();
  }
  const told = end ?? endOf(statusOf(folder), run.limits, child, trouble());
  // Followers of the proxy have said them at once.
  if (unfollow === undefined && (told.ended !== 'exited' || told.code !== 0))
    for (const sentence of proxy.refused) run.output('stderr', Buffer.from(`network: ${sentence}\n`));
  return told;
}

function scriptOf({ programs }: Sandbox, { command, workdir, environment }: Sandboxed): string {
  return launchScript({
    directory: join('/build', workdir),
    environment: { ...bareEnvironment, ...trustOfMachine(), HOME: '/home/build', ...environment, ...proxyVariables },
    command: ['/bin/sh', '-e', '-c', command],
    env: programs.env,
  });
}

function readPipe(at: string, stream: 'stdout' | 'stderr', output: Sandboxed['output']) {
  const socket = new Socket({ fd: openSync(at, files.O_RDONLY | files.O_NONBLOCK), readable: true, writable: false });
  socket.on('data', (bytes: Buffer) => output(stream, bytes));
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => socket.destroy());
  return {
    socket,
    over,
    /** A pipe that nobody ever wrote to ends with this, too; one with a writer goes on. */
    close() {
      try {
        closeSync(openSync(at, files.O_RDWR | files.O_NONBLOCK));
      } catch {
        socket.destroy();
      }
    },
  };
}

function endOf(status: number | undefined, limits: Limits, child: ChildProcess, trouble: string): SandboxEnd {
  if (status !== undefined) {
    const [name] = Object.entries(constants.signals).find(([, number]) => number + 128 === status) ?? [];
    if (name === 'SIGXFSZ') return { ended: 'disk', message: exceeding.disk(limits) };
    return name === undefined ? { ended: 'exited', code: status } : { ended: 'killed', by: name };
  }
  if (trouble !== '') throw new Error(`The sandbox could not be made: ${trouble}`);
  return { ended: 'killed', by: child.signalCode ?? 'SIGKILL' };
}
