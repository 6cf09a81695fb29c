import type { ItemBody } from '../../api/change-sets/item-bodies.ts';
import { defaultProcess, noSource, type ServiceSource } from '../../domain/services/settings.ts';
import { stageChanges, staged } from '../change-set.ts';
import { gitSource } from '../deploy/image-source.ts';
import { command, UsageError } from '../engine/command.ts';
import { said } from '../engine/table.ts';
import { type InService, type Service, serviceHere } from '../place/chosen.ts';
import { serviceOptions } from '../place/here.ts';
import { chosenProcess, processOption } from './chosen-process.ts';

/** A setting as it was typed. */
interface Setting {
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
  if (key === '') throw new UsageError(said`"${word}" is not of the form FIELD=VALUE; see --help.`);
  const known = [...Object.keys(ofProcess), 'image', 'source', ...Object.keys(ofService), ...Object.keys(ofBuilds)];
  throw new UsageError(`There is no setting ${key}; there is: ${known.join(', ')}.`);
}

/** `https://github.com/team/app.git`, or `…#:apps/web` for a folder of it. */
function repositoryAt(text: string): ServiceSource {
  const [url = '', place = ''] = text.split('#');
  const [branch = '', context = ''] = place.split(':');
  if (branch !== '') {
    throw new UsageError(
      said`The branch ${branch} is of the environment, not of the service: \`./ballast deploy --git ${url} --branch ${branch}\` sets it, source=${url}${context === '' ? '' : `#:${context}`} leaves it.`,
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

export const serviceSet = command({
  summary: 'Stages settings of a service, or of one of its processes, in an environment',
  usage: 'FIELD=VALUE … [--process NAME] [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `FIELD is one of the API's: of a process kind, command, args, port, fixedPort, replicas, schedule, timeZone, overlap, runAsUser,
livenessPath, readinessPath, startupPath, drainSeconds, stabilizationSeconds, cpuLimitMilli, memoryLimitBytes …; of the
service image, source (a repository: https://github.com/team/app.git, or …#:apps/web for a folder of it), releaseCommand,
releaseCommandTimeoutSeconds, dependsOn; of its builds buildMemoryBytes, buildDiskBytes, buildSeconds. A list is JSON, or words with blanks
between them. An empty value unsets what need not be there. The changes take effect with \`./ballast deploy --staged\`.`,
  words: { least: 1, most: 100 },
  options: { ...processOption, ...serviceOptions },
  run: async ({ process: named, ...given }, words) => {
    const settings = words.map(readSetting);
    const place = await serviceHere(given, { change: true });
    const { rest, service, environment } = place;
    const ofProcess = settings.some(({ of }) => of === 'process');
    const processId = ofProcess ? (await chosenProcess(place, named)).id : '';
    const view = await stageChanges(rest, environment, [
      ...settings.filter(({ of }) => of !== 'build').map((setting) => itemOf(setting, service.id, processId)),
      ...(await buildItems(place, settings)),
    ]);
    return staged(view, environment);
  },
});

/** Limits of builds change within the source as it is there. */
async function buildItems(
  { rest, environment, service }: InService,
  settings: readonly Setting[],
): Promise<ItemBody[]> {
  const { id } = service;
  const limits = settings.filter(({ of }) => of === 'build').map(({ key, value }) => [key, value] as const);
  if (limits.length === 0) return [];
  const { source } = await rest.call<Service>('GET', `/services/${id}?environmentId=${environment.id}`);
  const { trigger, buildLimits, ...kept } = source;
  const changed = Object.entries({ ...buildLimits, ...Object.fromEntries(limits) }).filter(
    ([, value]) => value !== null,
  );
  const value = {
    ...kept,
    ...(trigger === undefined ? {} : { trigger: { tagTemplate: trigger.tagTemplate } }),
    ...(changed.length === 0 ? {} : { buildLimits: Object.fromEntries(changed) }),
  };
  return [itemOf({ of: 'service', key: 'source', value }, id, '')];
}

/** The API knows which keys there are; those of here are read from the same table. */
function itemOf({ of, key, value }: Setting, serviceId: string, processId: string): ItemBody {
  const item =
    of === 'process' ? { kind: 'process.set', processId, key, value } : { kind: 'service.set', serviceId, key, value };
  return item as ItemBody;
}
