import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { Refusal } from '../../program/refusal.ts';
import type { InstanceSpec } from '../driver.ts';
import { filesOf } from '../instance-file.ts';
import { commandOf } from '../process/launch/command-of.ts';
import type { Places } from '../process/places.ts';
import { labelsOf } from './labels.ts';

interface MountedFile {
  source: string;
  target: string;
  told: string;
}

/**
 * The files of containers: each mounted from a directory of the home that nobody else may enter, so that no layer ever has
 * them. Whoever works in the container owns them, as far as that is said by number and the agent may give them away; else all
 * of the container may read them.
 */
export class Files {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  make(spec: InstanceSpec): MountedFile[] {
    const files = filesOf(spec);
    if (files.length === 0) return [];
    const place = join(this.#directory, spec.id);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { mode: 0o700 });
    const { runAsUser } = spec.process;
    const owner = ownerOf(runAsUser === undefined ? spec.image.config.user : `${runAsUser}`);
    return files.map(({ path, content, told }, index) => {
      const source = join(place, String(index));
      writeFileSync(source, content, { mode: 0o400, flag: 'wx' });
      if (owner === undefined) chmodSync(source, 0o444);
      else chownSync(source, owner.user, owner.group);
      const target = path.startsWith('/') ? path : posix.join('/', spec.image.config.workingDirectory, path);
      return { source, target, told };
    });
  }

  remove(id: string): void {
    rmSync(join(this.#directory, id), { recursive: true, force: true });
  }

  /** Removes what an agent that was killed has left of containers that are gone. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of readdirSync(this.#directory)) if (!ids.has(id)) this.remove(id);
  }
}

function ownerOf(named: string): { user: number; group: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, user, group] = /^(\d+)(?::(\d+))?$/.exec(named === '' || named === 'root' ? '0' : named) ?? [];
  return user === undefined ? undefined : { user: Number(user), group: Number(group ?? user) };
}

/** Capabilities of images that start as root, take ownership of their directories and continue as another user. */
const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'];
const mostProcesses = 4096;
/** Engines make no container with less. */
const leastMemory = 6 * 1024 * 1024;
const cpuPeriodMicroseconds = 100_000;

interface Surroundings {
  home: string;
  /** The engine's id of the image. */
  image: string;
  network: string;
  /** For engines whose containers cannot be reached by their own address. */
  publish: boolean;
  /** The file with the names of its environment. */
  hosts: string | undefined;
  /** Its files. */
  files: readonly MountedFile[];
  /** Where on this machine the volume of that name is. */
  volume(name: string): string;
}

/** The container that an instance is. */
export function containerOf(spec: InstanceSpec, around: Surroundings): ContainerCreateOptions {
  const { process } = spec;
  const port = process.port === undefined ? undefined : `${process.port}/tcp`;
  const command = commandOf(spec);
  if (command.length === 0) {
    throw new Refusal(`The image has no command for the process ${process.name}; give the process one.`);
  }
  const memory = process.memoryLimitBytes && Math.max(process.memoryLimitBytes, leastMemory);
  return {
    Image: around.image,
    Entrypoint: command,
    Cmd: [],
    Env: environmentOf(spec, around.files),
    WorkingDir: spec.image.config.workingDirectory,
    // The group of the same number, and not root's, which a user without an entry in the image's list would be in.
    User: process.runAsUser === undefined ? spec.image.config.user : `${process.runAsUser}:${process.runAsUser}`,
    Labels: labelsOf(around.home, spec),
    // The agent asks whether it is well.
    Healthcheck: { Test: ['NONE'] },
    ...(port === undefined ? {} : { ExposedPorts: { [port]: {} } }),
    HostConfig: {
      // Only the agent starts again.
      RestartPolicy: { Name: 'no' },
      // Reaps, hands on signals, and takes what is left with it when the process ends.
      Init: true,
      NetworkMode: around.network,
      IpcMode: 'private',
      CapDrop: ['ALL'],
      CapAdd: capabilities,
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: mostProcesses,
      LogConfig: { Type: 'json-file', Config: { 'max-size': '16m', 'max-file': '4' } },
      ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
      ...(process.cpuLimitMilli === undefined
        ? {}
        : { CpuPeriod: cpuPeriodMicroseconds, CpuQuota: (process.cpuLimitMilli * cpuPeriodMicroseconds) / 1_000 }),
      ...(port !== undefined && around.publish
        ? { PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] } }
        : {}),
      Mounts: [
        ...spec.volumes.map(({ name, path }) => ({
          Type: 'bind' as const,
          Source: around.volume(name),
          Target: path,
        })),
        ...around.files.map(({ source, target }) => ({
          Type: 'bind' as const,
          Source: source,
          Target: target,
          ReadOnly: true,
        })),
        ...(around.hosts === undefined
          ? []
          : [{ Type: 'bind' as const, Source: around.hosts, Target: '/etc/hosts', ReadOnly: true }]),
      ],
    },
  };
}

function environmentOf({ process, image, environment }: InstanceSpec, files: readonly MountedFile[]): string[] {
  const places = Object.fromEntries(files.map(({ told, target }) => [told, target]));
  const all: Record<string, string> = { ...places, ...image.config.environment, ...environment };
  if (process.port !== undefined) all.PORT = String(process.port);
  return Object.entries(all).map(([name, value]) => `${name}=${value}`);
}

/**
 * A volume is a directory of the home. It belongs to who works in it, as far as that is said by number and the agent may
 * give it away; else it is open to all, behind a directory that nobody else of this machine may enter.
 */
export function makeVolume(places: Places, { key, process: { runAsUser }, image }: InstanceSpec, name: string): void {
  const path = places.volume(key, name);
  if (existsSync(path)) return;
  mkdirSync(places.volumesOf(key), { recursive: true, mode: 0o700 });
  const [, user, group] = /^(\d+)(?::(\d+))?$/.exec(runAsUser === undefined ? image.config.user : `${runAsUser}`) ?? [];
  // Made aside, so that one that is there is whole.
  const draft = join(dirname(path), `.new-${name}`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  if (user !== undefined && globalThis.process.getuid?.() === 0) {
    chownSync(draft, Number(user), Number(group ?? user));
    chmodSync(draft, 0o700);
  } else {
    chmodSync(draft, 0o777);
  }
  renameSync(draft, path);
}
