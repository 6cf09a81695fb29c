import { defaultProcess, noSource, type ServiceSource } from '../../domain/services/settings.ts';
import { gitSource } from '../deploy/image-source.ts';
import { UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';

/** A setting as it was typed. */
export interface Setting {
  /** build: a limit of its builds, which is part of its source. */
  of: 'process' | 'service' | 'build';
  key: string;
  value: unknown;
}

type Read = (text: string, field: string) => unknown;

const plain: Read = (text) => text;
const number: Read = (text, field) => {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`${field} must be a whole number.`);
};
const switched: Read = (text, field) => {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`${field} must be true or false.`);
};
const list: Read = (text, field) => {
  if (!text.startsWith('[')) return text.split(/\s+/).filter((word) => word !== '');
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${field} is no list in JSON, such as ["node", "server.js"].`);
  }
};

const ofService: Record<string, Read> = {
  releaseCommand: list,
  releaseCommandTimeoutSeconds: number,
  dependsOn: list,
};
/** Parts of a source, which people look for by these names. */
const partsOfSource = ['gitUrl', 'git', 'repository', 'branch', 'context', 'imageRepository'];
/** By the field that `source.buildLimits` has. */
const ofBuilds: Readonly<Record<string, string>> = {
  buildMemoryBytes: 'memoryBytes',
  buildDiskBytes: 'diskBytes',
  buildSeconds: 'seconds',
};
/** Those that a process need not have. */
const optional = [
  'port',
  'runAsUser',
  'cpuLimitMilli',
  'cpuRequestMilli',
  'memoryLimitBytes',
  'memoryRequestBytes',
  'metricsPort',
];
const ofProcess: Record<string, Read> = {
  ...Object.fromEntries(Object.entries(defaultProcess).map(([key, value]) => [key, readerOf(value)])),
  ...Object.fromEntries(optional.map((key) => [key, orNothing(number)])),
  fixedPort: switched,
};

/** `FIELD=VALUE` as the API takes it. */
export function readSetting(word: string): Setting {
  const [, key = '', text = ''] = /^([A-Za-z]+)=(.*)$/s.exec(word) ?? [];
  if (key === 'image') return { of: 'service', key: 'source', value: { ...noSource, imageRepository: text } };
  if (key === 'source') return { of: 'service', key, value: repositoryAt(text) };
  if (partsOfSource.includes(key)) {
    throw new UsageError(
      `The source is one setting: source=https://github.com/team/app.git, source=URL#:DIR for a folder of it, or image=REFERENCE. \`./ballast deploy --git URL\` builds and deploys it at once, and takes --branch, --context and --connection.`,
    );
  }
  const service = Object.hasOwn(ofService, key) ? ofService[key] : undefined;
  if (service !== undefined) return { of: 'service', key, value: service(text, key) };
  const limit = Object.hasOwn(ofBuilds, key) ? ofBuilds[key] : undefined;
  if (limit !== undefined) return { of: 'build', key: limit, value: orNothing(number)(text, key) };
  const process = Object.hasOwn(ofProcess, key) ? ofProcess[key] : undefined;
  if (process !== undefined) return { of: 'process', key, value: process(text, key) };
  if (key === '') throw new UsageError(`"${printable(word)}" is not of the form FIELD=VALUE; see --help.`);
  const known = [...Object.keys(ofProcess), 'image', 'source', ...Object.keys(ofService), ...Object.keys(ofBuilds)];
  throw new UsageError(`There is no setting ${key}; there is: ${known.join(', ')}.`);
}

/** `https://github.com/team/app.git`, or `…#:apps/web` for a folder of it. */
function repositoryAt(text: string): ServiceSource {
  const [url = '', place = ''] = text.split('#');
  const [branch = '', context = ''] = place.split(':');
  if (branch !== '') {
    throw new UsageError(
      `The branch ${printable(branch)} is of the environment, not of the service: \`./ballast deploy --git ${printable(url)} --branch ${printable(branch)}\` sets it, source=${printable(url)}${context === '' ? '' : `#:${printable(context)}`} leaves it.`,
    );
  }
  gitSource({ url, context });
  return { ...noSource, kind: 'git', gitUrl: url, context };
}

function readerOf(value: unknown): Read {
  if (Array.isArray(value)) return list;
  if (typeof value === 'number') return number;
  return typeof value === 'boolean' ? switched : plain;
}

function orNothing(read: Read): Read {
  return (text, field) => (text === '' ? null : read(text, field));
}
