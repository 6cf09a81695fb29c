import type { z } from 'zod';
import type { volumeSchema } from '../api/volumes/volume.ts';
import { draftOf, tellStaged } from './change-set.ts';
import { command, UsageError } from './engine/command.ts';
import { asTable, printable } from './engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService, type Environment, type Service } from './place/chosen.ts';
import { type Here, here, serviceOptions } from './place/here.ts';
import { chosenProcess, processesThere, processOption } from './service/chosen-process.ts';

const units: readonly string[] = ['', 'K', 'M', 'G', 'T'];

/** Bytes, or binary multiples: `10G` is 10 times 1,024 times 1,024 times 1,024. */
export function bytesOf(word: string): number {
  const [, number = '', unit = ''] = /^(\d{1,15})([KMGT]?)(?:i?B)?$/i.exec(word) ?? [];
  const bytes = Number(number) * 1024 ** units.indexOf(unit.toUpperCase());
  if (Number.isSafeInteger(bytes) && bytes >= 1) return bytes;
  throw new UsageError(`"${printable(word)}" is no size; write 10G, 500M, or a number of bytes.`);
}

/** The largest unit in which it is a whole number that can be read, else one decimal. */
export function sizeText(bytes: number): string {
  const exact = units.findLastIndex((_, power) => power > 0 && bytes % 1024 ** power === 0);
  if (exact > 0 && bytes / 1024 ** exact < 10_000) return `${bytes / 1024 ** exact}${units[exact]}`;
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return power === 0 ? String(bytes) : `${(bytes / 1024 ** power).toFixed(1)}${units[power]}`;
}

type Volume = z.output<typeof volumeSchema> & { process: string };

/** Where volumes are changed: a service in an environment. */
export async function placeToChange(place: Here): Promise<{ environment: Environment; service: Service }> {
  const project = await chosenProject(place);
  const service = await chosenService(place, project);
  return { service, environment: await chosenEnvironment(place, project, { change: true }) };
}

/** The volumes of a service as its environment wants them. */
async function volumesThere(here: Here, environment: Environment, service: Service): Promise<Volume[]> {
  const found: Volume[] = [];
  for (const { id, name } of await processesThere(here, environment, service)) {
    const volumes = await here.rest.all<z.output<typeof volumeSchema>>(`/processes/${id}/volumes`, undefined, {
      environmentId: environment.id,
    });
    found.push(...volumes.map((volume) => ({ ...volume, process: name })));
  }
  return found;
}

/** Names are unique in a service. */
async function volumeNamed(here: Here, environment: Environment, service: Service, name: string): Promise<Volume> {
  const volumes = await volumesThere(here, environment, service);
  const found = volumes.find((volume) => volume.name === name);
  if (found !== undefined) return found;
  const there = volumes.map((volume) => volume.name).join(', ') || 'none';
  throw new UsageError(
    `There is no volume "${printable(name)}" of ${service.slug} in ${environment.slug}; there is: ${there}.`,
  );
}

/** The draft after a change. */
async function tellDraft({ rest }: Here, environment: Environment, json = false): Promise<void> {
  tellStaged(await draftOf(rest, environment), environment, json);
}

export const volumeAdd = command({
  summary: 'Stages a volume of a process in an environment',
  usage:
    'NAME=PATH --size 10G [--process NAME] [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `A directory that outlives the instances and is mounted at PATH. Each environment has data of its own. The process has one
instance at a time from then on, which ends before its successor starts. It takes effect with \`./ballast deploy --staged\`.`,
  words: { least: 1, most: 1 },
  options: {
    size: { type: 'string', value: 'SIZE', what: 'Bytes, or with K, M, G or T. It can grow later.' },
    ...processOption,
    ...serviceOptions,
  },
  run: async ({ size, process: named, ...given }, [word = '']) => {
    const at = word.indexOf('=');
    if (at < 1) throw new UsageError(`"${printable(word)}" is not of the form NAME=PATH, such as data=/data.`);
    if (size === undefined) throw new UsageError('Say by --size how large it is, such as --size 10G.');
    const body = { name: word.slice(0, at), mountPath: word.slice(at + 1), sizeBytes: bytesOf(size) };
    const place = await here(given);
    const { service, environment } = await placeToChange(place);
    const { id } = await chosenProcess(place, environment, service, named);
    await place.rest.call('POST', `/processes/${id}/volumes?environmentId=${environment.id}`, body);
    await tellDraft(place, environment, given.json);
  },
});

export const volumeGrow = command({
  summary: 'Stages a larger size of a volume in an environment',
  usage: 'NAME SIZE [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `SIZE is a number of bytes, or with K, M, G or T. No instance is replaced by it. A volume only grows.`,
  words: { least: 2, most: 2 },
  options: serviceOptions,
  run: async (given, [name = '', size = '']) => {
    const sizeBytes = bytesOf(size);
    const place = await here(given);
    const { service, environment } = await placeToChange(place);
    const { id } = await volumeNamed(place, environment, service, name);
    await place.rest.call('PATCH', `/volumes/${id}?environmentId=${environment.id}`, { sizeBytes });
    await tellDraft(place, environment, given.json);
  },
});

export const volumeList = command({
  summary: 'Lists the volumes of a service, as its environment wants them',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: 'Staged ones are in it. What is used is told by the cluster, once the volume is mounted.',
  options: serviceOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const service = await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: false });
    const volumes = await volumesThere(place, environment, service);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ volumes }, undefined, 2)}\n`);
    if (volumes.length === 0) {
      return void process.stdout.write(`${service.slug} has no volumes in ${environment.slug}.\n`);
    }
    const rows = volumes.map(({ name, process: of, mountPath, sizeBytes, usage }) => [
      ...[name, of, mountPath, sizeText(sizeBytes)],
      ...(usage === undefined
        ? ['-', '-', '-']
        : [
            sizeText(usage.usedBytes),
            usage.filesystem === undefined ? '-' : sizeText(usage.filesystem.availableBytes),
            usage.observedAt,
          ]),
    ]);
    process.stdout.write(asTable(['volume', 'process', 'at', 'size', 'used', 'disk free', 'as of'], rows));
  },
});

export const volumeRemove = command({
  summary: 'Stages that a volume is removed from an environment',
  usage: 'NAME [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `It is mounted no more with the next release. The data stay on the cluster, and a rollback to a release that mounts it has
them again.`,
  words: { least: 1, most: 1 },
  options: serviceOptions,
  run: async (given, [name = '']) => {
    const place = await here(given);
    const { service, environment } = await placeToChange(place);
    const { id } = await volumeNamed(place, environment, service, name);
    await place.rest.call('DELETE', `/volumes/${id}?environmentId=${environment.id}`);
    await tellDraft(place, environment, given.json);
  },
});
