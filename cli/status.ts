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
import { type Environment, environmentHere, serviceHere } from './place/chosen.ts';
import { environmentOptions, serviceOptions } from './place/here.ts';

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
  options: { print: { type: 'boolean', what: 'Only print the address.' }, ...serviceOptions },
  run: async ({ print = false, ...given }, [word]) => {
    const { rest, environment, service } = await serviceHere(
      { ...given, service: word ?? given.service },
      { change: false },
    );
    const found = (await overviewOf(rest, environment)).find(({ serviceId }) => serviceId === service.id);
    const addresses = found === undefined ? [] : addressesOf(found);
    const [first] = addresses;
    if (first === undefined) {
      throw new UsageError(`${service.slug} has no address in ${environment.slug}; \`./ballast status\` says why.`);
    }
    if (!given.json && process.stdout.isTTY && !print && /^https?:/.test(first)) openBrowser(first);
    return { json: { addresses }, text: addresses.map((address) => `${address}\n`) };
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
    const place = await environmentHere(given, { change: false });
    const { rest, project, environment } = place;
    if (given.wait) {
      const path = `/environments/${environment.id}/deployments`;
      const open = await rest.all<Deployment>(path, undefined, { open: 'true' });
      const look = theseDeployments(
        rest,
        open.map(({ id }) => id),
      );
      process.exitCode = (await follow(look, waiting, placeWords(place))).exitCode;
    }
    const services = await overviewOf(rest, environment);
    const where = `${project.slug} / ${environment.slug}`;
    const text = asTable(services, `${where} has no services.`, {
      service: 'serviceSlug',
      release: ({ activeReleaseNumber }) => activeReleaseNumber ?? '-',
      health: 'health',
      ready: ({ replicasReady, replicasDesired }) => `${replicasReady}/${replicasDesired}`,
      address: (service) => addressesOf(service).join(' '),
      '': underWay,
    });
    const json = { project: project.slug, environment: environment.slug, services };
    return { json, text, above: services.length === 0 ? '' : where };
  },
});

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
