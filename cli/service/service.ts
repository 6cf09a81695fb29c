import type { z } from 'zod';
import type { processSchema } from '../../api/processes/process.ts';
import type { driftItemSchema } from '../../api/services/list-services.ts';
import type { deletionImpactSchema } from '../../api/services/operations.ts';
import type { suspensionSchema } from '../../api/services/suspension.ts';
import { defined } from '../../domain/defined.ts';
import { noSource } from '../../domain/services/settings.ts';
import { slugOf } from '../../domain/slug.ts';
import { type ChangeSetView, stageChanges, staged } from '../change-set.ts';
import { type Losses, restorableDeletion, restorableOptions } from '../deleted.ts';
import { exitCodesText, seeThrough } from '../deployment/follow.ts';
import { readWaiting, waitOptions } from '../deployment/waiting.ts';
import { command, UsageError } from '../engine/command.ts';
import { wholeNumberOf } from '../engine/given.ts';
import { listed, type Outcome } from '../engine/outcome.ts';
import { eventsOption } from '../engine/progress.ts';
import { restOptions } from '../engine/rest.ts';
import { asFacts, asTable, inParts } from '../engine/table.ts';
import {
  chosenEnvironment,
  chosenService,
  environmentHere,
  type InEnvironment,
  type InService,
  projectHere,
  type Service,
  serviceHere,
} from '../place/chosen.ts';
import { environmentOptions, projectOption, serviceOptions } from '../place/here.ts';

export type Process = z.output<typeof processSchema>;
type DriftItem = z.output<typeof driftItemSchema>;

export const serviceShow = command({
  summary: 'Shows a service with its processes, as its environment wants them',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details:
    'Staged changes are in it, and beneath it what is applied and not deployed. What runs is shown by `./ballast status`, its variables by `./ballast var list`.',
  options: serviceOptions,
  run: async (given) => {
    const { rest, project, environment, service: chosen } = await serviceHere(given, { change: false });
    const path = `/services/${chosen.id}`;
    const there = `?environmentId=${environment.id}`;
    const [service, { items: processes }, { items: drift }] = await Promise.all([
      rest.call<Service>('GET', `${path}${there}`),
      rest.call<{ items: Process[] }>('GET', `${path}/processes${there}`),
      rest.call<{ items: DriftItem[] }>('GET', `${path}/drift${there}`),
    ]);
    const { slug, name, source, releaseCommand, dependsOn, createdAt } = service;
    const { skipProductionApproval, skipProductionApprovalBy: by = '', skipProductionApprovalAt: at = '' } = service;
    const text = inParts(
      asFacts({
        service: `${slug} "${name}" ${chosen.id}`,
        project: project.slug,
        environment: environment.slug,
        image: source.imageRepository,
        source: source.gitUrl || source.repository,
        'build limits': limitsOf(source.buildLimits),
        'release command': releaseCommand.join(' '),
        'depends on': dependsOn.join(', '),
        approval: skipProductionApproval ? `not needed in production, set by ${by} ${at}` : '',
        created: createdAt,
      }),
      asTable(processes, '', {
        process: 'name',
        kind: 'kind',
        at: ({ schedule, port }) => schedule || port,
        replicas: 'replicas',
        command: ({ command: words, args }) => [...words, ...args].join(' ') || "the image's",
      }),
      asTable(drift, '', {
        'not deployed': 'label',
        runs: ({ secret, from }) => (secret ? '(secret)' : from),
        applied: ({ secret, to }) => (secret ? '(secret)' : to),
      }),
    );
    return { json: { service, processes, drift }, text };
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
  options: {
    kind: { type: 'string', value: 'KIND', what: 'Kind of its process: http (the default), tcp, worker or cron.' },
    port: { type: 'string', value: 'N', what: 'Where its process listens; 8080 by default.' },
    schedule: { type: 'string', value: 'TEXT', what: 'Of a cron process: five fields, such as "0 3 * * *".' },
    image: { type: 'string', value: 'REFERENCE', what: 'Its image in another registry, registry.example.com/app:1.2.' },
    ...environmentOptions,
  },
  run: async ({ kind, port, schedule, image, ...given }, [name = '']) => {
    const number = wholeNumberOf('--port', port, 1, 65_535);
    const place = await environmentHere(given, { change: true });
    const { rest, project, environment } = place;
    const settings = { kind, schedule, port: number };
    const existing = await serviceOfName(place, name);
    if (existing !== undefined) {
      const named = Object.entries(settings).find(([, value]) => value !== undefined)?.[0];
      if (named !== undefined)
        throw new UsageError(
          `${existing.slug} is a service of ${project.slug} already: leave --${named} out, or choose another name.`,
        );
      return await stageExisting(place, existing, image);
    }
    const made = await rest.call<ServiceCreated>('POST', `/projects/${project.id}/services`, {
      name,
      environmentId: environment.id,
      process: defined(settings),
      ...(image !== undefined && { source: { kind: 'image', imageRepository: image } }),
    });
    return { json: made, text: `The service ${made.service.slug} is staged in ${environment.slug}.` };
  },
});

async function serviceOfName({ rest, project }: InEnvironment, name: string): Promise<Service | undefined> {
  const services = await rest.all<Service>(`/projects/${project.id}/services`);
  return services.find((one) => one.slug === slugOf(name) || one.name.toLowerCase() === name.toLowerCase());
}

/** A second one of the same name would never be what somebody means. */
async function stageExisting(
  { rest, environment }: InEnvironment,
  { id: serviceId, slug }: Service,
  image: string | undefined,
): Promise<Outcome> {
  const value = { ...noSource, kind: 'image', imageRepository: image ?? '' };
  const view = await stageChanges(rest, environment, [
    { kind: 'service.create', serviceId },
    ...(image === undefined ? [] : [{ kind: 'service.set' as const, serviceId, key: 'source' as const, value }]),
  ]);
  return { ...staged(view, environment), above: `The project has ${slug} already; that one is staged.` };
}

type Impact = z.output<typeof deletionImpactSchema>;

export const serviceDelete = command({
  summary: 'Deletes a service in all environments at once',
  usage: 'NAME [--wait] [--yes] [--project PROJECT] [--json]',
  details: `Tells what ends with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. A service that production
has takes an admin's token. Its settings, variables, releases and volumes are kept for the retention: see \`./ballast deleted --help\`. To take
it out of one environment alone, remove it there in the console.`,
  options: { ...restorableOptions, ...projectOption, ...restOptions },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    const place = await projectHere(given);
    // The loss is great: the service is never guessed.
    const service = await chosenService({ ...place, wanted: { ...place.wanted, service: named } }, place.project);
    return await restorableDeletion(place.rest, 'service', service, { wait, yes }, lostWith);
  },
});

function lostWith({ environments, deployments, approvals, stagedChanges, ...impact }: Impact): Losses {
  const { dependents, references, heldWith } = impact;
  const names = (list: readonly string[]) => [...new Set(list)].join(', ');
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
    const place = await projectHere(given);
    const { rest, project } = place;
    const environment = place.named ? await chosenEnvironment(place, project, { change: false }) : undefined;
    const filter: Record<string, string> = environment === undefined ? {} : { environmentId: environment.id };
    const services = await rest.all<Service>(`/projects/${project.id}/services`, undefined, filter);
    return listed({ services }, 'There is no service yet; see `./ballast deploy --help`.', {
      slug: 'slug',
      name: 'name',
      source: ({ source }) => source.imageRepository || source.gitUrl || source.repository,
      'depends on': ({ dependsOn }) => dependsOn.join(' '),
    });
  },
});

type Suspension = z.output<typeof suspensionSchema>;

export const serviceSuspend = command({
  summary: 'Stops a service in an environment until it is resumed',
  usage: '[SERVICE] [--cancel | --wait] [--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: `Its instances end and its schedules pause at once; volumes, addresses, settings and the live release stay. What is applied
meanwhile is stored and not started. In production it takes an admin's token. While a deployment of it is under way, say by --cancel
or --wait what becomes of that; the service then stops with its end.`,
  options: {
    cancel: { type: 'boolean', what: 'Cancel the deployments of it that are under way or wait there.' },
    wait: { type: 'boolean', what: 'Let a rollout that has begun end by itself; those that wait are cancelled.' },
    ...serviceOptions,
  },
  run: async ({ cancel, wait, ...given }, [word]) => {
    if (cancel && wait) throw new UsageError('Give --cancel or --wait, not both.');
    const place = await serviceHere({ ...given, service: word ?? given.service }, { change: true });
    const { environment, service } = place;
    const deployments = cancel ? 'cancel' : wait ? 'wait' : undefined;
    const suspension = await suspensionBy(place, 'suspend', defined({ deployments }));
    const { deployment } = suspension;
    const until = deployment === undefined ? '' : `, once the deployment ${deployment.id} has ended`;
    return {
      json: suspension,
      text: `${service.slug} is suspended in ${environment.slug}${until}: \`./ballast service resume\` starts it again.`,
    };
  },
});

async function suspensionBy({ rest, environment, service }: InService, verb: 'suspend' | 'resume', more: object) {
  const body = { environmentId: environment.id, ...more };
  return await rest.call<Suspension>('POST', `/services/${service.id}/${verb}`, body);
}

export const serviceResume = command({
  summary: 'Starts a suspended service again, with the release that ran',
  usage: `[SERVICE] [--project PROJECT] [--environment ENVIRONMENT] [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: `It needs no approval, since it runs what was approved; in production it takes an admin's token. What was applied meanwhile
is not part of it: \`./ballast service show\` tells that. ${exitCodesText}`,
  options: { ...waitOptions, ...serviceOptions, ...eventsOption },
  run: async (given, [word]) => {
    const waiting = readWaiting(given);
    const place = await serviceHere({ ...given, service: word ?? given.service }, { change: true });
    const suspension = await suspensionBy(place, 'resume', { queue: true });
    const { deployment } = suspension;
    if (deployment === undefined) {
      return { json: suspension, text: `${place.service.slug} is not suspended in ${place.environment.slug}.` };
    }
    const release = { id: deployment.releaseId, number: deployment.releaseNumber };
    return await seeThrough(place, { deployment, release, superseded: [] }, waiting);
  },
});
