import { existsSync } from 'node:fs';
import { ranges } from '../../domain/settings/setting.ts';
import type { Option, Values } from '../program/options.ts';
import { Refusal } from '../program/refusal.ts';
import { type BuildLimits, halfOfMemory } from './build-limits.ts';
import { type BaseImages, baseImagesOf } from './docker/plan/base-images.ts';

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
