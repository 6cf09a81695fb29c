import type { ItemBody } from '../../api/change-sets/item-bodies.ts';
import { stageChanges, tellStaged } from '../change-set/stage-changes.ts';
import { command, UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';
import { readSetting, type Setting } from './read-setting.ts';
import type { Process } from './show.ts';

export const serviceSet = command({
  summary: 'Stages settings of a service, or of one of its processes, in an environment',
  usage: 'FIELD=VALUE … [--process NAME] [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `FIELD is one of the API's: of a process kind, command, args, port, replicas, schedule, timeZone, overlap, runAsUser,
livenessPath, readinessPath, startupPath, drainSeconds, stabilizationSeconds, cpuLimitMilli, memoryLimitBytes …; of the
service image, releaseCommand, releaseCommandTimeoutSeconds, dependsOn. A list is JSON, or words with blanks between them.
An empty value unsets what a process need not have. The changes take effect with \`./ballast deploy --staged\`.`,
  words: { least: 1, most: 100 },
  options: {
    process: { type: 'string', value: 'NAME', what: 'Name of the process; else the only one.' },
    ...serviceOptions,
  },
  run: async ({ process: named, ...given }, words) => {
    const settings = words.map(readSetting);
    const place = await here(given);
    const project = await chosenProject(place);
    const service = await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: true });
    const ofProcess = settings.some(({ of }) => of === 'process');
    const processId = ofProcess ? await processOf() : '';
    const view = await stageChanges(
      place.rest,
      environment,
      settings.map((setting) => itemOf(setting, service.id, processId)),
    );
    tellStaged(view, environment, given.json);

    async function processOf(): Promise<string> {
      const path = `/services/${service.id}/processes?environmentId=${environment.id}`;
      const { items } = await place.rest.call<{ items: Process[] }>('GET', path);
      const [only] = items;
      if (named === undefined && only !== undefined && items.length === 1) return only.id;
      const found = items.find(({ name }) => name === named);
      if (found !== undefined) return found.id;
      const there = items.map(({ name }) => name).join(', ');
      if (named === undefined) throw new UsageError(`Say which process by --process: ${there}.`);
      throw new UsageError(`There is no process "${printable(named)}"; there is: ${there}.`);
    }
  },
});

/** The API knows which keys there are; those of here are read from the same table. */
function itemOf({ of, key, value }: Setting, serviceId: string, processId: string): ItemBody {
  const item =
    of === 'process' ? { kind: 'process.set', processId, key, value } : { kind: 'service.set', serviceId, key, value };
  return item as ItemBody;
}
