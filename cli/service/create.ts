import { noSource } from '../../domain/services/settings.ts';
import { slugOf } from '../../domain/slug.ts';
import { type ChangeSetView, stageChanges, tellStaged } from '../change-set/stage-changes.ts';
import { command, UsageError } from '../engine/command.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { chosenEnvironment, chosenProject, type Environment, type Project, type Service } from '../place/chosen.ts';
import { environmentOptions, type Here, here } from '../place/here.ts';
import type { Process } from './show.ts';

export interface ServiceCreated {
  service: Service;
  processes: Process[];
  changeSet: ChangeSetView;
}

export const serviceCreate = command({
  summary: 'Creates a service with its process, staged in an environment',
  usage: 'NAME [--kind KIND] [--port N] [--image REFERENCE] [--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: `A service that the project has already, of that name, is staged there as it is; \`./ballast promote\` brings what another
environment runs. Nothing runs until the environment's staged changes are deployed, by \`./ballast deploy --staged\`. \`./ballast deploy\`
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
    const existing = await serviceOfName(place, project, name);
    if (existing !== undefined) {
      const named = Object.entries(settings).find(([, value]) => value !== undefined)?.[0];
      if (named !== undefined)
        throw new UsageError(
          `${existing.slug} is a service of ${project.slug} already: leave --${named} out, or choose another name.`,
        );
      return await stageExisting(place, environment, existing, { image, json: given.json });
    }
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

async function serviceOfName({ rest }: Here, project: Project, name: string): Promise<Service | undefined> {
  const services = await rest.all<Service>(`/projects/${project.id}/services`);
  return services.find((one) => one.slug === slugOf(name) || one.name.toLowerCase() === name.toLowerCase());
}

/** A second one of the same name would never be what somebody means. */
async function stageExisting(
  { rest }: Here,
  environment: Environment,
  { id: serviceId, slug }: Service,
  { image, json }: { image: string | undefined; json: boolean | undefined },
): Promise<void> {
  const value = { ...noSource, kind: 'image', imageRepository: image ?? '' };
  const view = await stageChanges(rest, environment, [
    { kind: 'service.create', serviceId },
    ...(image === undefined ? [] : [{ kind: 'service.set' as const, serviceId, key: 'source' as const, value }]),
  ]);
  if (json !== true) process.stderr.write(`The project has ${slug} already; that one is staged.\n`);
  tellStaged(view, environment, json);
}
