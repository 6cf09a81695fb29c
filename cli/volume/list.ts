import { command } from '../engine/command.ts';
import { asTable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';
import { sizeText } from './size.ts';
import { volumesThere } from './volumes.ts';

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
