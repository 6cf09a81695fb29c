import { draftOf, staged } from './change-set.ts';
import { command, UsageError } from './engine/command.ts';
import { listed } from './engine/outcome.ts';
import { said } from './engine/table.ts';
import { type InService, type Service, serviceHere } from './place/chosen.ts';
import { serviceOptions } from './place/here.ts';

export const fileList = command({
  summary: 'Lists the files of a service, as its environment wants them',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: 'Staged ones are in it.',
  options: serviceOptions,
  run: async (given) => {
    const { rest, environment, service } = await serviceHere(given, { change: false });
    const { files } = await rest.call<Service>('GET', `/services/${service.id}?environmentId=${environment.id}`);
    const none = `${service.slug} has no files in ${environment.slug}.`;
    return listed({ files }, none, { file: 'path', 'made of': 'variable' });
  },
});

async function stagedFile(
  { rest, environment, service }: InService,
  item: { kind: string; key: string; value?: string },
) {
  const path = `/environments/${environment.id}/change-set/items`;
  await rest.call('PUT', path, { serviceId: service.id, ...item });
  return staged(await draftOf(rest, environment), environment);
}

export const fileSet = command({
  summary: 'Stages a file of a service that is made of one of its variables',
  usage: 'PATH=VARIABLE [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `PATH is absolute, or from the directory that the program works in. Its user alone may read the file, and FILE_VARIABLE tells the
program where it is. Another value of the variable is another release. It takes effect with \`./ballast deploy --staged\`.`,
  options: serviceOptions,
  run: async (given, [word = '']) => {
    const at = word.lastIndexOf('=');
    if (at < 1) throw new UsageError(said`"${word}" is not of the form PATH=VARIABLE, such as app.yml=CONFIG.`);
    const place = await serviceHere(given, { change: true });
    return await stagedFile(place, { kind: 'file.set', key: word.slice(0, at), value: word.slice(at + 1) });
  },
});

export const fileUnset = command({
  summary: 'Stages that a service has a file no more',
  usage: 'PATH [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: 'The variable that it was made of stays.',
  options: serviceOptions,
  run: async (given, [key = '']) => {
    return await stagedFile(await serviceHere(given, { change: true }), { kind: 'file.unset', key });
  },
});
