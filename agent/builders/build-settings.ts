import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { ranges } from '../../domain/settings/setting.ts';
import type { openProxy } from '../../outbound/proxy.ts';
import type { BuildBody } from '../../protocol/build.ts';
import type { Option, Values } from '../program/options.ts';
import { Refusal } from '../program/refusal.ts';
import { type BaseImages, baseImagesOf } from './docker/plan/base-images.ts';

/** The most that a build of this machine may take; of a service that says nothing, all of it. */
export interface BuildLimits {
  memoryBytes: number;
  diskBytes: number;
  seconds: number;
  /** Thousandths of a core; missing: all of them, shared with what else runs. */
  cpuMilli?: number | undefined;
}

const least = 512 * 2 ** 20;

/** Half of the memory that this machine, or the container of this agent, has. */
export function halfOfMemory(): number {
  const constrained = process.constrainedMemory();
  const all = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.max(least, Math.floor(all / 2 / 2 ** 20) * 2 ** 20);
}

const names = ['memoryBytes', 'diskBytes', 'seconds'] as const;

/** The build within the limits of its machine; those that its service has not set are the machine's own. */
export function withinMachine(body: BuildBody, own: BuildLimits): BuildBody {
  const limits = { ...body.limits };
  for (const name of names) {
    const isSet = body.unset?.includes(name) !== true;
    limits[name] = isSet ? Math.min(limits[name], own[name]) : own[name];
  }
  // Longer than that the control plane waits for no build.
  limits.seconds = Math.min(limits.seconds, body.limits.seconds);
  return { ...body, limits: { ...limits, ...(own.cpuMilli === undefined ? {} : { cpuMilli: own.cpuMilli }) } };
}

/** A line of the log, and those limits of the service that are more than its machine gives. */
export function linesOfLimits(asked: BuildBody, { limits }: BuildBody): string[] {
  const cpu = limits.cpuMilli === undefined ? '' : `, ${limits.cpuMilli / 1000} cores`;
  const minutes = Math.round(limits.seconds / 6) / 10;
  return [
    `Limits: ${size(limits.memoryBytes)} of memory, ${size(limits.diskBytes)} of disk, ${minutes} min${cpu}`,
    ...(['memoryBytes', 'diskBytes'] as const).flatMap((name) =>
      asked.unset?.includes(name) || asked.limits[name] <= limits[name]
        ? []
        : [
            `The service asks for ${size(asked.limits[name])}: this cluster gives ${size(limits[name])} (${raisedBy[name]}).`,
          ],
    ),
  ];
}

const raisedBy = { memoryBytes: '--build-memory-mib of its agent', diskBytes: '--build-disk-gib of its agent' };

export function size(bytes: number): string {
  const megabytes = bytes / 2 ** 20;
  return megabytes < 1_024 ? `${Math.round(megabytes)} MB` : `${Math.round(megabytes / 102.4) / 10} GB`;
}

/** Settings of an agent for its builds. */
export interface BuildSettings {
  /** Of every command of every build: the addresses of mirrors, say. */
  environment: Readonly<Record<string, string>>;
  /** Certificates (PEM) of authorities that builds trust besides the usual ones. */
  caFile?: string | undefined;
  /** Private ranges that builds may reach. */
  allowedRanges: readonly string[];
  /** More of caches is not kept. */
  cacheBytes: number;
  limits: BuildLimits;
  /** Of builds without a Dockerfile, where there is a Docker engine. */
  baseImages: BaseImages;
  /** Of the BuildKit that builds there. */
  builderImage: string;
}

/** Pinned: its API, its folders and its settings are those that the agent knows. */
export const builderImage = 'moby/buildkit:v0.34.2';

export const buildOptions = {
  'build-environment': {
    value: 'KEY=VALUE',
    what: 'A variable of all builds, such as npm_config_registry for a mirror; may be given several times.',
    variable: 'BALLAST_AGENT_BUILD_ENVIRONMENT',
    repeated: true,
  },
  'build-ca-file': {
    value: 'PATH',
    what: 'Certificates (PEM) that builds trust besides the usual ones; NODE_EXTRA_CA_CERTS of a build names them.',
    variable: 'BALLAST_AGENT_BUILD_CA_FILE',
  },
  'build-allowed-ranges': {
    value: 'RANGES',
    what: 'Private addresses that builds may reach, such as those of a mirror, with commas between them.',
    variable: 'BALLAST_AGENT_BUILD_ALLOWED_RANGES',
  },
  'build-cache-gib': {
    value: 'NUMBER',
    what: 'Size of the caches of builds above which those that were not used for longest are deleted.',
    variable: 'BALLAST_AGENT_BUILD_CACHE_GIB',
    default: '10',
  },
  'build-memory-mib': {
    value: 'NUMBER',
    what: 'Most memory of a build, for services that do not say less; half of the machine by default.',
    variable: 'BALLAST_AGENT_BUILD_MEMORY_MIB',
  },
  'build-disk-gib': {
    value: 'NUMBER',
    what: 'Most that a build writes to disk, for services that do not say less.',
    variable: 'BALLAST_AGENT_BUILD_DISK_GIB',
    default: '8',
  },
  'build-minutes': {
    value: 'NUMBER',
    what: 'Longest that a build takes, for services that do not say less.',
    variable: 'BALLAST_AGENT_BUILD_MINUTES',
    default: '60',
  },
  'build-cpus': {
    value: 'NUMBER',
    what: 'Cores that commands of a build may keep busy, with the driver process; 0: all of them, shared with what else runs.',
    variable: 'BALLAST_AGENT_BUILD_CPUS',
    default: '0',
  },
  'build-base-image': {
    value: 'NAME=IMAGE',
    what: 'The image that builds without a Dockerfile begin with, such as node=registry.example.com/node:{version}-slim; for node, python, go, rust, java, maven, gradle, php, composer, ruby, elixir, deno, dotnet, hugo and system.',
    variable: 'BALLAST_AGENT_BUILD_BASE_IMAGE',
    repeated: true,
  },
  'build-builder-image': {
    value: 'IMAGE',
    what: 'The image of BuildKit that builds where there is a Docker engine, such as one of a registry of your own.',
    variable: 'BALLAST_AGENT_BUILD_BUILDER_IMAGE',
    default: builderImage,
  },
} satisfies Record<string, Option>;

export function buildSettings(values: Values): BuildSettings {
  const caFile = values.text('build-ca-file');
  if (caFile !== undefined && !existsSync(caFile)) throw new Refusal(`--build-ca-file: ${caFile} is not there.`);
  return {
    environment: Object.fromEntries(values.texts('build-environment').map(variableOf)),
    caFile,
    allowedRanges: rangesOf(values.text('build-allowed-ranges') ?? ''),
    cacheBytes: values.number('build-cache-gib', 1, 100_000) * 1024 ** 3,
    limits: limitsFrom(values),
    baseImages: baseImagesOf(values.texts('build-base-image')),
    builderImage: values.needed('build-builder-image'),
  };
}

function limitsFrom(values: Values): BuildLimits {
  const cpus = values.number('build-cpus', 0, 1_024);
  const isSet = values.text('build-memory-mib') !== undefined;
  return {
    memoryBytes: isSet ? values.number('build-memory-mib', 64, 16_777_216) * 2 ** 20 : halfOfMemory(),
    diskBytes: values.number('build-disk-gib', 1, 100_000) * 2 ** 30,
    seconds: values.number('build-minutes', 1, 60) * 60,
    ...(cpus === 0 ? {} : { cpuMilli: cpus * 1000 }),
  };
}

function variableOf(text: string): [string, string] {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new Refusal(
      `--build-environment: "${text}" is no variable; write it as npm_config_registry=https://npm.example.com.`,
    );
  return [name, value];
}

function rangesOf(text: string): readonly string[] {
  const read = text === '' ? [] : ranges.parse(text);
  if (read === undefined) throw new Refusal(`--build-allowed-ranges must be ${ranges.form}.`);
  return read;
}

/** The part of a proxy that its builds follow. */
export type Followed = Pick<ReturnType<typeof openProxy>, 'hosts' | 'onFailure'>;

const mostSaid = 5;
const mostHosts = 5;

/** The proxies by which one build goes out: an address that it does not get is a line of its log at once, not when its client gives up. */
export class BuildNetwork {
  readonly #say: (line: string) => void;
  /** The lines, and when each was the last one, counted in failures. */
  readonly #failed = new Map<string, number>();
  #failures = 0;
  readonly #proxies = new Set<Followed>();

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** How often it did not get an address until now, as `failuresSince` takes it. */
  get failures(): number {
    return this.#failures;
  }

  /** The lines since then, each once. */
  failuresSince(failures: number): string[] {
    return [...this.#failed].filter(([, at]) => at > failures).map(([line]) => line);
  }

  /** Until the answer is called. */
  follow(proxy: Followed): () => void {
    this.#proxies.add(proxy);
    const stop = proxy.onFailure((line) => {
      this.#failures += 1;
      const known = this.#failed.has(line);
      if (!known && this.#failed.size >= mostSaid) return;
      this.#failed.set(line, this.#failures);
      if (!known) this.#say(line);
    });
    return () => {
      stop();
      this.#proxies.delete(proxy);
    };
  }

  /** Hosts that it has connections to, or waits for one; empty: none. */
  open(): string {
    const hosts = [...new Set([...this.#proxies].flatMap((proxy) => proxy.hosts()))].sort();
    const more = hosts.length - mostHosts;
    return [...hosts.slice(0, mostHosts), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  }
}
