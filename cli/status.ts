import { spawn } from 'node:child_process';
import type { z } from 'zod';
import type { overviewServiceSchema } from '../api/environments/overview.ts';
import type { Deployment } from './deployment/deployment.ts';
import { exitCodesText, follow, theseDeployments } from './deployment/follow.ts';
import { placeWords } from './deployment/place-words.ts';
import { readWaiting, waitOptions } from './deployment/waiting.ts';
import { command, UsageError } from './engine/command.ts';
import { eventsOption } from './engine/progress.ts';
import type { Rest } from './engine/rest.ts';
import { asTable, printable } from './engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService, type Environment } from './place/chosen.ts';
import { environmentOptions, here, serviceOptions } from './place/here.ts';

export type OverviewService = z.output<typeof overviewServiceSchema>;

export async function overviewOf(rest: Rest, environment: Environment): Promise<OverviewService[]> {
  const { services } = await rest.call<{ services: OverviewService[] }>(
    'GET',
    `/environments/${environment.id}/overview`,
  );
  return services;
}

/** Where a service answers. An address is empty as long as the port of its cluster's ingress is not known. */
export function addressesOf({ addresses }: OverviewService): string[] {
  return addresses.map(({ url }) => printable(url)).filter((url) => url !== '');
}

export const open = command({
  summary: 'Prints the address of a service, and opens it in a browser',
  usage: '[SERVICE] [--print] [--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--json]',
  details: 'The browser is opened where there is a terminal.',
  words: { least: 0, most: 1 },
  options: { print: { type: 'boolean', what: 'Only print the address.' }, ...serviceOptions },
  run: async ({ print = false, ...given }, [word]) => {
    const place = await here({ ...given, service: word ?? given.service });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: false });
    const service = await chosenService(place, project);
    const found = (await overviewOf(place.rest, environment)).find(({ serviceId }) => serviceId === service.id);
    const addresses = found === undefined ? [] : addressesOf(found);
    const [first] = addresses;
    if (first === undefined) {
      throw new UsageError(`${service.slug} has no address in ${environment.slug}; \`./ballast status\` says why.`);
    }
    if (given.json) return void process.stdout.write(`${JSON.stringify({ addresses }, undefined, 2)}\n`);
    for (const address of addresses) process.stdout.write(`${printable(address)}\n`);
    if (process.stdout.isTTY && !print && /^https?:/.test(first)) openBrowser(first);
  },
});

/** Where there is none, the printed address is enough. */
function openBrowser(address: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}

export const status = command({
  summary: 'Shows the services of an environment: release, health, address, deployment under way',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--wait] [--timeout 10m] [--json]',
  details: `With --wait it first follows the deployments that are under way. ${exitCodesText}`,
  options: {
    wait: { ...waitOptions.wait, what: 'Follow the deployments that are under way to their end.' },
    timeout: waitOptions.timeout,
    ...environmentOptions,
    ...eventsOption,
  },
  run: async (given) => {
    const waiting = readWaiting(given);
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: false });
    if (given.wait) {
      const path = `/environments/${environment.id}/deployments`;
      const open = await place.rest.all<Deployment>(path, undefined, { open: 'true' });
      const ids = open.map(({ id }) => id);
      process.exitCode = (
        await follow(theseDeployments(place.rest, ids), waiting, placeWords(project, environment))
      ).exitCode;
    }
    const services = await overviewOf(place.rest, environment);
    if (given.json) {
      const result = { project: project.slug, environment: environment.slug, services };
      return void process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
    }
    const where = `${project.slug} / ${environment.slug}`;
    if (services.length === 0) return void process.stdout.write(`${where} has no services.\n`);
    process.stderr.write(`${where}\n`);
    process.stdout.write(asTable(['service', 'release', 'health', 'ready', 'address', ''], services.map(rowOf)));
  },
});

function rowOf(service: OverviewService): string[] {
  const { serviceSlug, activeReleaseNumber, health, replicasReady, replicasDesired } = service;
  return [
    serviceSlug,
    activeReleaseNumber === undefined ? '-' : String(activeReleaseNumber),
    health,
    `${replicasReady}/${replicasDesired}`,
    addressesOf(service).join(' '),
    printable(underWay(service)),
  ];
}

/** The deployment under way with what it waits for, or the one that failed since, or what is wrong with what serves. */
function underWay(service: OverviewService): string {
  const { pendingDeployment, failedDeployment, message, fault, stagedIn, suspended, warnings } = service;
  if (pendingDeployment !== undefined) {
    const { kind, releaseNumber, state } = pendingDeployment;
    return `release ${releaseNumber} ${state} (${kind})${message === '' ? '' : `: ${message}`}`;
  }
  if (failedDeployment !== undefined) {
    const failed = `release ${failedDeployment.releaseNumber} failed: ${failedDeployment.message}`;
    return fault === '' ? failed : `${failed} What serves: ${fault}`;
  }
  if (stagedIn !== undefined) return `staged by ${stagedIn.stagedBy.name}`;
  return fault === '' && !suspended ? warnings.map((one) => one.message).join(' ') : fault;
}
