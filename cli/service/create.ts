import type { ChangeSetView } from '../change-set/stage-changes.ts';
import { command } from '../engine/command.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { chosenEnvironment, chosenProject, type Service } from '../place/chosen.ts';
import { environmentOptions, here } from '../place/here.ts';
import type { Process } from './show.ts';

export interface ServiceCreated {
  service: Service;
  processes: Process[];
  changeSet: ChangeSetView;
}

export const serviceCreate = command({
  summary: 'Creates a service with its process, staged in an environment',
  usage: 'NAME [--kind KIND] [--port N] [--image REFERENCE] [--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: `Nothing runs until the environment's staged changes are deployed, by \`./ballast deploy --staged\`. \`./ballast deploy\`
with an image creates the service by itself.`,
  words: { least: 1, most: 1 },
  options: {
    kind: { type: 'string', value: 'KIND', what: 'Kind of its process: http (the default), tcp, worker or cron.' },
    port: { type: 'string', value: 'N', what: 'Where its process listens; 8080 by default.' },
    schedule: { type: 'string', value: 'TEXT', what: 'Of a cron process: five fields, such as "0 3 * * *".' },
    image: { type: 'string', value: 'REFERENCE', what: 'Its image in another registry, registry.example.com/app:1.2.' },
    ...environmentOptions,
  },
  run: async ({ kind, port, schedule, image, ...given }, [name = '']) => {
    const number = wholeNumberOf('--port', port, 1, 65_535);
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const settings = { kind, schedule, port: number };
    const made = await place.rest.call<ServiceCreated>('POST', `/projects/${project.id}/services`, {
      name,
      environmentId: environment.id,
      process: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
      ...(image === undefined ? {} : { source: { kind: 'image', imageRepository: image } }),
    });
    if (given.json) return void process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    process.stdout.write(`The service ${made.service.slug} is staged in ${environment.slug}.\n`);
  },
});
