import type { z } from 'zod';
import type { processSchema } from '../../api/processes/process.ts';
import type { driftItemSchema } from '../../api/services/list-services.ts';
import type { deletionImpactSchema } from '../../api/services/operations.ts';
import type { suspensionSchema } from '../../api/services/suspension.ts';
import { defined } from '../../domain/defined.ts';
import { noSource } from '../../domain/services/settings.ts';
import { slugOf } from '../../domain/slug.ts';
import { type ChangeSetView, stageChanges, tellStaged } from '../change-set.ts';
import { confirmLoss, restorable, yesOption } from '../deleted.ts';
import { exitCodesText, seeThrough } from '../deployment/follow.ts';
import { readWaiting, waitOptions } from '../deployment/waiting.ts';
import { command, UsageError } from '../engine/command.ts';
import { eventsOption } from '../engine/progress.ts';
import { restOptions } from '../engine/rest.ts';
import { asLines, asTable, printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import {
  chosenEnvironment,
  chosenProject,
  chosenService,
  type Environment,
  type Project,
  type Service,
} from '../place/chosen.ts';
import { environmentOptions, type Here, here, projectOption, serviceOptions } from '../place/here.ts';

export type Process = z.output<typeof processSchema>;
type DriftItem = z.output<typeof driftItemSchema>;

export const serviceShow = command({
  summary: 'Shows a service with its processes, as its environment wants them',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details:
    'Staged changes are in it, and beneath it what is applied and not deployed. What runs is shown by `./ballast status`, its variables by `./ballast var list`.',
  options: serviceOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const { id } = await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: false });
    const there = `?environmentId=${environment.id}`;
    const [service, { items: processes }, { items: drift }] = await Promise.all([
      place.rest.call<Service>('GET', `/services/${id}${there}`),
      place.rest.call<{ items: Process[] }>('GET', `/services/${id}/processes${there}`),
      place.rest.call<{ items: DriftItem[] }>('GET', `/services/${id}/drift${there}`),
    ]);
    if (given.json)
      return void process.stdout.write(`${JSON.stringify({ service, processes, drift }, undefined, 2)}\n`);
    const { slug, name, source, releaseCommand, dependsOn, createdAt } = service;
    const { skipProductionApproval, skipProductionApprovalBy: by = '', skipProductionApprovalAt: at = '' } = service;
    process.stdout.write(
      asLines([
        ['service', `${slug} "${name}" ${id}`],
        ['project', project.slug],
        ['environment', environment.slug],
        ['image', source.imageRepository],
        ['source', source.gitUrl || source.repository],
        ['build limits', limitsOf(source.buildLimits)],
        ['release command', releaseCommand.join(' ')],
        ['depends on', dependsOn.join(', ')],
        ['approval', skipProductionApproval ? `not needed in production, set by ${printable(by)} ${at}` : ''],
        ['created', createdAt],
      ]),
    );
    const rows = processes.map(({ name, kind, port, replicas, schedule, command: words, args }) => [
      name,
      kind,
      schedule || String(port ?? ''),
      String(replicas),
      [...words, ...args].join(' ') || "the image's",
    ]);
    if (rows.length > 0) process.stdout.write(`\n${asTable(['process', 'kind', 'at', 'replicas', 'command'], rows)}`);
    if (drift.length === 0) return;
    const differing = drift.map(({ label, from, to, secret }) => [
      printable(label),
      ...(secret ? ['(secret)', '(secret)'] : [printable(from), printable(to)]),
    ]);
    process.stdout.write(`\n${asTable(['not deployed', 'runs', 'applied'], differing)}`);
  },
});

/** "memoryBytes=8589934592"; empty where the cluster's hold. */
function limitsOf(limits: Service['source']['buildLimits'] = {}): string {
  return Object.entries(limits)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

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
      process: defined(settings),
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

type Impact = z.output<typeof deletionImpactSchema>;

export const serviceDelete = command({
  summary: 'Deletes a service in all environments at once',
  usage: 'NAME [--wait] [--yes] [--project PROJECT] [--json]',
  details: `Tells what ends with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. A service that production
has takes an admin's token. Its settings, variables, releases and volumes are kept for the retention: see \`./ballast deleted --help\`. To take
it out of one environment alone, remove it there in the console.`,
  words: { least: 1, most: 1 },
  options: {
    wait: { type: 'boolean', what: 'Let rollouts that have begun end by themselves; else they are asked to cancel.' },
    ...yesOption(),
    ...projectOption,
    ...restOptions,
  },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    const place = await here(given);
    const project = await chosenProject(place);
    // The loss is great: the service is never guessed.
    const service = await chosenService({ ...place, wanted: { ...place.wanted, service: named } }, project);
    const { id, slug, name } = service;
    if (yes !== true) {
      const impact = await place.rest.call<Impact>('GET', `/services/${id}/deletion-impact`);
      if (!(await confirmLoss({ noun: 'service', called: slug, name }, lostWith(impact)))) return;
    }
    await place.rest.call('DELETE', `/services/${id}${wait === true ? '?wait=true' : ''}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, slug } })}\n`);
    else process.stdout.write(restorable('service', slug));
  },
});

function lostWith({ environments, deployments, approvals, stagedChanges, ...impact }: Impact): [number, string][] {
  const { dependents, references, heldWith } = impact;
  const names = (list: readonly string[]) => printable([...new Set(list)].join(', '));
  const running = environments.filter(({ live }) => live).map(({ name }) => name);
  return [
    [running.length, `ends in ${names(running)}`],
    [
      deployments.length,
      `deployments under way: ${deployments.length}, in ${names(deployments.map((one) => one.environmentName))}`,
    ],
    [approvals.length, `approvals closed: ${approvals.length}`],
    [stagedChanges, `staged changes dropped: ${stagedChanges}`],
    [dependents.length, `refused while these depend on it: ${names(dependents.map(({ slug }) => slug))}`],
    [
      references.length,
      `refused while these values refer to it: ${names(references.map((one) => `${one.variable} to ${one.refersTo} (${one.environmentName})`))}`,
    ],
    [heldWith.length, `refused until these approvals are decided: ${names(heldWith.map(({ id }) => id))}`],
  ];
}

export const serviceList = command({
  summary: 'Lists the services of a project, or those of one of its environments',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--json]',
  options: environmentOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = place.named ? await chosenEnvironment(place, project, { change: false }) : undefined;
    const filter: Record<string, string> = environment === undefined ? {} : { environmentId: environment.id };
    const services = await place.rest.all<Service>(`/projects/${project.id}/services`, undefined, filter);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ services }, undefined, 2)}\n`);
    if (services.length === 0) {
      return void process.stdout.write('There is no service yet; see `./ballast deploy --help`.\n');
    }
    const rows = services.map(({ slug, name, source, dependsOn }) => [
      slug,
      printable(name),
      printable(source.imageRepository || source.gitUrl || source.repository),
      printable(dependsOn.join(' ')),
    ]);
    process.stdout.write(asTable(['slug', 'name', 'source', 'depends on'], rows));
  },
});

type Suspension = z.output<typeof suspensionSchema>;

export const serviceSuspend = command({
  summary: 'Stops a service in an environment until it is resumed',
  usage: '[SERVICE] [--cancel | --wait] [--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: `Its instances end and its schedules pause at once; volumes, addresses, settings and the live release stay. What is applied
meanwhile is stored and not started. In production it takes an admin's token. While a deployment of it is under way, say by --cancel
or --wait what becomes of that; the service then stops with its end.`,
  words: { least: 0, most: 1 },
  options: {
    cancel: { type: 'boolean', what: 'Cancel the deployments of it that are under way or wait there.' },
    wait: { type: 'boolean', what: 'Let a rollout that has begun end by itself; those that wait are cancelled.' },
    ...serviceOptions,
  },
  run: async ({ cancel, wait, ...given }, [service]) => {
    if (cancel && wait) throw new UsageError('Give --cancel or --wait, not both.');
    const place = await here({ ...given, ...(service === undefined ? {} : { service }) });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const { id, slug } = await chosenService(place, project);
    const ending = cancel ? 'cancel' : wait ? 'wait' : undefined;
    const body = { environmentId: environment.id, ...(ending === undefined ? {} : { deployments: ending }) };
    const suspension = await place.rest.call<Suspension>('POST', `/services/${id}/suspend`, body);
    if (given.json) return void process.stdout.write(`${JSON.stringify(suspension, undefined, 2)}\n`);
    const { deployment } = suspension;
    const until = deployment === undefined ? '' : `, once the deployment ${deployment.id} has ended`;
    process.stdout.write(
      `${slug} is suspended in ${environment.slug}${until}: \`./ballast service resume\` starts it again.\n`,
    );
  },
});

export const serviceResume = command({
  summary: 'Starts a suspended service again, with the release that ran',
  usage: `[SERVICE] [--project PROJECT] [--environment ENVIRONMENT] [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: `It needs no approval, since it runs what was approved; in production it takes an admin's token. What was applied meanwhile
is not part of it: \`./ballast service show\` tells that. ${exitCodesText}`,
  words: { least: 0, most: 1 },
  options: { ...waitOptions, ...serviceOptions, ...eventsOption },
  run: async (given, [service]) => {
    const waiting = readWaiting(given);
    const place = await here({ ...given, ...(service === undefined ? {} : { service }) });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const { id, slug } = await chosenService(place, project);
    const body = { environmentId: environment.id, queue: true };
    const suspension = await place.rest.call<Suspension>('POST', `/services/${id}/resume`, body);
    const { deployment } = suspension;
    if (deployment !== undefined) {
      const release = { id: deployment.releaseId, number: deployment.releaseNumber };
      const started = { deployment, release, superseded: [] };
      return await seeThrough(place, { project, environment }, started, waiting);
    }
    if (given.json) return void process.stdout.write(`${JSON.stringify(suspension, undefined, 2)}\n`);
    process.stdout.write(`${slug} is not suspended in ${environment.slug}.\n`);
  },
});
