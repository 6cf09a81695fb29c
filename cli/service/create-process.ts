import type { ItemBody } from '../../api/change-sets/item-bodies.ts';
import { stageChanges, staged } from '../change-set.ts';
import { command, UsageError } from '../engine/command.ts';
import { serviceHere } from '../place/chosen.ts';
import { serviceOptions } from '../place/here.ts';
import { processesThere } from './chosen-process.ts';
import { readSetting } from './set.ts';

export const processCreate = command({
  summary: 'Stages a further process of a service in an environment',
  usage: 'NAME [FIELD=VALUE …] [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `FIELD is one of those that \`./ballast service set\` takes of a process; without kind=worker, kind=cron or kind=tcp it is one of kind
http. It runs the image of the service, by its entry point unless command says another one. It takes effect with \`./ballast deploy --staged\`.

./ballast process create worker kind=worker command='node worker.js'
./ballast process create nightly kind=cron schedule='0 3 * * *' command='["/bin/sh", "-c", "bin/report | bin/mail"]'`,
  words: { least: 1, most: 100 },
  options: serviceOptions,
  run: async (given, [name = '', ...words]) => {
    const settings = words.map(readSetting);
    const other = settings.find(({ of }) => of !== 'process');
    if (other !== undefined)
      throw new UsageError(
        `${other.key} is of the service, and not of one process: \`./ballast service set\` sets it.`,
      );
    const place = await serviceHere(given, { change: true });
    const { rest, service, environment } = place;
    const there = await processesThere(place);
    if (there.some((one) => one.name === name))
      throw new UsageError(
        `${service.slug} has a process ${name} in ${environment.slug} already: \`./ballast service set FIELD=VALUE --process ${name}\` changes it.`,
      );
    const values = Object.fromEntries(settings.map(({ key, value }) => [key, value]));
    const item: ItemBody = { kind: 'process.create', serviceId: service.id, name, settings: values };
    return staged(await stageChanges(rest, environment, [item]), environment);
  },
});
