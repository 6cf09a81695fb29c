import type { z } from 'zod';
import type { volumeSchema } from '../api/volumes/volume.ts';
import { draftOf, staged } from './change-set.ts';
import { command, UsageError } from './engine/command.ts';
import { foundBy } from './engine/given.ts';
import { listed } from './engine/outcome.ts';
import { said } from './engine/table.ts';
import { type InService, serviceHere } from './place/chosen.ts';
import { serviceOptions } from './place/here.ts';
import { chosenProcess, processesThere, processOption } from './service/chosen-process.ts';

const units: readonly string[] = ['', 'K', 'M', 'G', 'T'];

/** Bytes, or binary multiples: `10G` is 10 times 1,024 times 1,024 times 1,024. */
export function bytesOf(word: string): number {
  const [, number = '', unit = ''] = /^(\d{1,15})([KMGT]?)(?:i?B)?$/i.exec(word) ?? [];
  const bytes = Number(number) * 1024 ** units.indexOf(unit.toUpperCase());
  if (Number.isSafeInteger(bytes) && bytes >= 1) return bytes;
  throw new UsageError(said`"${word}" is no size; write 10G, 500M, or a number of bytes.`);
}

/** The largest unit in which it is a whole number that can be read, else one decimal. */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return '-';
  if (bytes === 0) return '0';
  const exact = units.findLastIndex((_, power) => power > 0 && bytes % 1024 ** power === 0);
  if (exact > 0 && bytes / 1024 ** exact < 10_000) return `${bytes / 1024 ** exact}${units[exact]}`;
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return power === 0 ? String(bytes) : `${(bytes / 1024 ** power).toFixed(1)}${units[power]}`;
}

type Volume = z.output<typeof volumeSchema> & { process: string };

/** The volumes of a service as its environment wants them. */
async function volumesThere(place: InService): Promise<Volume[]> {
  const there = { environmentId: place.environment.id };
  const found: Volume[] = [];
  for (const { id, name } of await processesThere(place)) {
    const volumes = await place.rest.all<z.output<typeof volumeSchema>>(`/processes/${id}/volumes`, undefined, there);
    found.push(...volumes.map((volume) => ({ ...volume, process: name })));
  }
  return found;
}

/** Names are unique in a service. */
export async function volumeNamed(place: InService, name: string): Promise<Volume> {
  const volumes = await volumesThere(place);
  const found = volumes.find((volume) => volume.name === name);
  const there = volumes.map((volume) => volume.name);
  return foundBy(name, 'volume', found, there, ` of ${place.service.slug} in ${place.environment.slug}`);
}

/** The draft after a change. */
async function changed({ rest, environment }: InService, method: string, path: string, body?: object) {
  await rest.call(method, `${path}?environmentId=${environment.id}`, body);
  return staged(await draftOf(rest, environment), environment);
}

export const volumeAdd = command({
  summary: 'Stages a volume of a process in an environment',
  usage:
    'NAME=PATH --size 10G [--process NAME] [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `A directory that outlives the instances and is mounted at PATH. Each environment has data of its own. The process has one
instance at a time from then on, which ends before its successor starts. It takes effect with \`./ballast deploy --staged\`.`,
  options: {
    size: { type: 'string', value: 'SIZE', what: 'Bytes, or with K, M, G or T. It can grow later.' },
    ...processOption,
    ...serviceOptions,
  },
  run: async ({ size, process: named, ...given }, [word = '']) => {
    const at = word.indexOf('=');
    if (at < 1) throw new UsageError(said`"${word}" is not of the form NAME=PATH, such as data=/data.`);
    if (size === undefined) throw new UsageError('Say by --size how large it is, such as --size 10G.');
    const body = { name: word.slice(0, at), mountPath: word.slice(at + 1), sizeBytes: bytesOf(size) };
    const place = await serviceHere(given, { change: true });
    const { id } = await chosenProcess(place, named);
    return await changed(place, 'POST', `/processes/${id}/volumes`, body);
  },
});

export const volumeGrow = command({
  summary: 'Stages a larger size of a volume in an environment',
  usage: 'NAME SIZE [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `SIZE is a number of bytes, or with K, M, G or T. No instance is replaced by it. A volume only grows.`,
  options: serviceOptions,
  run: async (given, [name = '', size = '']) => {
    const sizeBytes = bytesOf(size);
    const place = await serviceHere(given, { change: true });
    const { id } = await volumeNamed(place, name);
    return await changed(place, 'PATCH', `/volumes/${id}`, { sizeBytes });
  },
});

export const volumeList = command({
  summary: 'Lists the volumes of a service, as its environment wants them',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: 'Staged ones are in it. What is used is told by the cluster, once the volume is mounted.',
  options: serviceOptions,
  run: async (given) => {
    const place = await serviceHere(given, { change: false });
    const none = `${place.service.slug} has no volumes in ${place.environment.slug}.`;
    return listed({ volumes: await volumesThere(place) }, none, {
      volume: 'name',
      process: 'process',
      at: 'mountPath',
      size: ({ sizeBytes }) => sizeText(sizeBytes),
      used: ({ usage }) => sizeText(usage?.usedBytes),
      'disk free': ({ usage }) => sizeText(usage?.filesystem?.availableBytes),
      'as of': ({ usage }) => usage?.observedAt ?? '-',
    });
  },
});

export const volumeRemove = command({
  summary: 'Stages that a volume is removed from an environment',
  usage: 'NAME [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `It is mounted no more with the next release. The data stay on the cluster, and a rollback to a release that mounts it has
them again.`,
  options: serviceOptions,
  run: async (given, [name = '']) => {
    const place = await serviceHere(given, { change: true });
    const { id } = await volumeNamed(place, name);
    return await changed(place, 'DELETE', `/volumes/${id}`);
  },
});
