import { command, UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { here, serviceOptions } from '../place/here.ts';
import { chosenProcess, processOption } from '../service/chosen-process.ts';
import { bytesOf } from './size.ts';
import { placeToChange, tellDraft } from './volumes.ts';

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
