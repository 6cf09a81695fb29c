import type { ContainerCreateOptions } from 'dockerode';
import { Refusal } from '../../../program/refusal.ts';
import type { InstanceSpec } from '../../driver.ts';
import { commandOf } from '../../process/launch/command-of.ts';
import { labelsOf } from '../labels.ts';
import type { MountedFile } from './files.ts';

/** Capabilities of images that start as root, take ownership of their directories and continue as another user. */
const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'];
const mostProcesses = 4096;
/** Engines make no container with less. */
const leastMemory = 6 * 1024 * 1024;
const cpuPeriodMicroseconds = 100_000;

export interface Surroundings {
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
