import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { type Engine, unless } from '../../../drivers/docker/engine.ts';
import { wayOut } from './way-out.ts';

/** On containers and volumes: the agent's home that they belong to. */
export const builderLabel = 'dev.ballast.builder-of';
const runAt = '/run/ballast';
const stateAt = '/var/lib/buildkit';
const socketName = 'buildkitd.sock';
const quick = { t: 10 };
const ownMemory = 1024 ** 3;
const ownProcesses = 1_000;
/** 304: it had ended; 409: it is being removed. */
const unlessGone = unless(304, 404, 409);
const logs = { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '2' } };

/** One builder of an agent: names of the parts that it has in the engine and on this machine. */
export interface BuilderName {
  homeId: string;
  /** Of the organization. */
  key: string;
  /** Of this builder in the agent's home. */
  folder: string;
}

export interface BuilderSettings {
  image: string;
  cacheBytes: number;
  caFile: string | undefined;
}

/** Limits of all commands of its builds together, beside those of each. */
export interface Room {
  memoryBytes: number;
  processes: number;
}

export function nameOf({ homeId, key }: BuilderName): string {
  return `ballast-builder-${homeId}-${key}`;
}

/** The folder that the container shares with this machine, which root alone enters. */
export function runFolder({ folder }: BuilderName): string {
  return join(folder, 'run');
}

/** The place of its socket, of its shared folder and of its state, as this machine sees them: paths that are short enough for a socket. */
export const seen = {
  socket: (pid: number) => `/proc/${pid}/root${runAt}/${socketName}`,
  run: (pid: number) => `/proc/${pid}/root${runAt}`,
  state: (pid: number) => `/proc/${pid}/root${stateAt}`,
  root: (pid: number) => `/proc/${pid}/root`,
};

export function writeSettings(builder: BuilderName, { cacheBytes, caFile }: BuilderSettings): void {
  const folder = runFolder(builder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'authorities'), { recursive: true, mode: 0o700 });
  if (caFile !== undefined) copyFileSync(caFile, join(folder, 'authorities', 'ca.pem'));
  writeFileSync(join(folder, 'buildkitd.toml'), tomlOf(cacheBytes));
}

/** Frontends of images run as they like: Dockerfiles are read by BuildKit's own. Nobody may ask for more rights. */
function tomlOf(cacheBytes: number): string {
  return `root = "${stateAt}"
insecure-entitlements = []
[grpc]
address = ["unix://${runAt}/${socketName}"]
[frontend."gateway.v0"]
enabled = false
[cdi]
disabled = true
[history]
maxEntries = 1
[worker.containerd]
enabled = false
[worker.oci]
enabled = true
networkMode = "host"
gc = true
maxUsedSpace = ${cacheBytes}
`;
}

/** Engines give control groups to read; those of commands are made beneath its own. */
const start = `for group in /sys/fs/cgroup /sys/fs/cgroup/*; do mount -o remount,bind,rw "$group" 2>/dev/null; done
exec buildkitd --config ${runAt}/buildkitd.toml`;

/**
 * No network but a loopback, which commands share: `networkMode = "host"` is that of this container. Its rights are those that make
 * containers; commands have none of them.
 */
export function containerOf(builder: BuilderName, image: string, room: Room): ContainerCreateOptions {
  return {
    name: nameOf(builder),
    Image: image,
    Entrypoint: ['/bin/sh', '-c'],
    Cmd: [start],
    Env: [
      ...Object.entries(wayOut).map(([name, value]) => `${name}=${value}`),
      `SSL_CERT_DIR=/etc/ssl/certs:${runAt}/authorities`,
      'BUILDKIT_SETUP_CGROUPV2_ROOT=1',
    ],
    Labels: { [builderLabel]: builder.homeId },
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...{ NetworkMode: 'none', IpcMode: 'private', RestartPolicy: { Name: 'no' }, LogConfig: logs },
      CapAdd: ['SYS_ADMIN', 'NET_ADMIN', 'SYS_PTRACE'],
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined', 'label=disable'],
      Binds: [`${runFolder(builder)}:${runAt}`, `${nameOf(builder)}:${stateAt}`],
      ...limitsOf(room),
    },
  };
}

export function limitsOf({ memoryBytes, processes }: Room) {
  const memory = memoryBytes + ownMemory;
  return { Memory: memory, MemorySwap: memory, PidsLimit: processes + ownProcesses };
}

/** Starts the container anew, and answers its process. */
export async function startContainer(engine: Engine, builder: BuilderName, image: string, room: Room): Promise<number> {
  await removeContainer(engine, nameOf(builder));
  const Labels = { [builderLabel]: builder.homeId };
  await engine.ask((docker) => docker.createVolume({ Name: nameOf(builder), Labels }));
  const container = await engine.ask((docker) => docker.createContainer(containerOf(builder, image, room)));
  await engine.ask(() => container.start());
  return await processOf(engine, builder);
}

/** Its process on the machine of the engine; 0 if it does not run. */
export async function processOf(engine: Engine, builder: BuilderName): Promise<number> {
  const found = await engine.ask((docker) => docker.getContainer(nameOf(builder)).inspect()).catch(unless(404));
  return found?.State.Pid ?? 0;
}

/** The last that a builder said, which is why it ended. */
export async function lastWords(engine: Engine, builder: BuilderName): Promise<string> {
  const said = await engine
    .ask((docker) => docker.getContainer(nameOf(builder)).logs({ stdout: true, stderr: true, tail: 5 }))
    .catch(() => Buffer.alloc(0));
  return said
    .toString('utf8')
    .replace(/[^\x20-\x7e\n]/g, '')
    .trim()
    .slice(-1_000);
}

/** Its state stays. */
export async function stopContainer(engine: Engine, builder: BuilderName): Promise<void> {
  await engine.wait((docker) => docker.getContainer(nameOf(builder)).stop(quick)).catch(unlessGone);
  await removeContainer(engine, nameOf(builder));
}

export async function removeContainer(engine: Engine, name: string): Promise<void> {
  await engine.ask((docker) => docker.getContainer(name).remove({ force: true })).catch(unlessGone);
}

export async function removeVolume(engine: Engine, name: string): Promise<void> {
  await engine.wait((docker) => docker.getVolume(name).remove()).catch(unlessGone);
}
