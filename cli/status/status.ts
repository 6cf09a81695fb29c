import type { Deployment } from '../deployment/deployment.ts';
import { follow, theseDeployments } from '../deployment/follow.ts';
import { exitCodesText } from '../deployment/outcome.ts';
import { placeWords } from '../deployment/place-words.ts';
import { readWaiting, waitOptions } from '../deployment/waiting.ts';
import { command } from '../engine/command.ts';
import { eventsOption } from '../engine/progress.ts';
import { asTable, printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject } from '../place/chosen.ts';
import { environmentOptions, here } from '../place/here.ts';
import { addressesOf, type OverviewService, overviewOf } from './overview.ts';

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
