import type { ItemBody } from '../../api/change-sets/item-bodies.ts';
import { stageChanges, tellStaged } from '../change-set/stage-changes.ts';
import { command } from '../engine/command.ts';
import { chosenEnvironment, chosenProject, chosenService, type Environment, type Service } from '../place/chosen.ts';
import { type Here, here, serviceOptions } from '../place/here.ts';
import { chosenProcess, processOption } from './chosen-process.ts';
import { readSetting, type Setting } from './read-setting.ts';

export const serviceSet = command({
  summary: 'Stages settings of a service, or of one of its processes, in an environment',
  usage: 'FIELD=VALUE … [--process NAME] [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `FIELD is one of the API's: of a process kind, command, args, port, fixedPort, replicas, schedule, timeZone, overlap, runAsUser,
livenessPath, readinessPath, startupPath, drainSeconds, stabilizationSeconds, cpuLimitMilli, memoryLimitBytes …; of the
service image, source (a repository: https://github.com/team/app.git, or …#:apps/web for a folder of it), releaseCommand,
releaseCommandTimeoutSeconds, dependsOn; of its builds buildMemoryBytes, buildDiskBytes, buildSeconds. A list is JSON, or words with blanks
between them. An empty value unsets what need not be there. The changes take effect with \`./ballast deploy --staged\`.`,
  words: { least: 1, most: 100 },
  options: {
    ...processOption,
    ...serviceOptions,
  },
  run: async ({ process: named, ...given }, words) => {
    const settings = words.map(readSetting);
    const place = await here(given);
    const project = await chosenProject(place);
    const service = await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: true });
    const ofProcess = settings.some(({ of }) => of === 'process');
    const processId = ofProcess ? (await chosenProcess(place, environment, service, named)).id : '';
    const view = await stageChanges(place.rest, environment, [
      ...settings.filter(({ of }) => of !== 'build').map((setting) => itemOf(setting, service.id, processId)),
      ...(await buildItems(place, environment, service, settings)),
    ]);
    tellStaged(view, environment, given.json);
  },
});

/** Limits of builds change within the source as it is there. */
async function buildItems(
  { rest }: Here,
  environment: Environment,
  { id }: Service,
  settings: readonly Setting[],
): Promise<ItemBody[]> {
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
