import { command, UsageError } from '../engine/command.ts';
import { eventsOption } from '../engine/progress.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { chosenEnvironment, chosenProject, chosenService, type Environment, type Service } from '../place/chosen.ts';
import { type Here, here, serviceOptions } from '../place/here.ts';
import type { Deployment } from './deployment.ts';
import { acceptingDowntime, downtimeOption, tellDeclined } from './downtime.ts';
import { exitCodesText } from './outcome.ts';
import { type CreateResult, seeThrough } from './started.ts';
import { readWaiting, waitOptions } from './waiting.ts';

export const rollback = command({
  summary: 'Returns a service to an earlier release',
  usage: `[--to NUMBER] [--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--accept-downtime]
  [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: `Without --to it is the release that was live before the live one. Its image, settings and variables become those of the
environment again; what is staged stays staged, and the number of replicas is today's. It goes ahead of all that waits.
${exitCodesText}`,
  options: {
    to: { type: 'string', value: 'NUMBER', what: 'Number of the release.' },
    ...downtimeOption,
    ...waitOptions,
    ...serviceOptions,
    ...eventsOption,
  },
  run: async ({ to, ...given }) => {
    const waiting = readWaiting(given);
    const number = wholeNumberOf('--to', to, 1, Number.MAX_SAFE_INTEGER);
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const service = await chosenService(place, project);
    const releaseId = await releaseToReturnTo(place, environment, service, number);
    const started = await acceptingDowntime(given['accept-downtime'] ?? false, (downtime) =>
      place.rest.call<CreateResult>('POST', `/releases/${releaseId}/rollback`, { queue: true, ...downtime }),
    );
    if (started === undefined) return void tellDeclined();
    await seeThrough(place, { project, environment }, started, waiting);
  },
});

/** Releases are known by their deployments: a release that was never live is returned to only if it is named. */
async function releaseToReturnTo(
  { rest }: Here,
  environment: Environment,
  service: Service,
  number: number | undefined,
): Promise<string> {
  const deployments = await rest.all<Deployment>(`/services/${service.id}/deployments`, undefined, {
    environmentId: environment.id,
    ...(number === undefined ? { state: 'live' } : {}),
  });
  const where = `${service.slug} in ${environment.slug}`;
  if (number !== undefined) {
    const named = deployments.find(({ releaseNumber }) => releaseNumber === number);
    if (named !== undefined) return named.releaseId;
    throw new UsageError(`There is no release ${number} of ${where}; there is: ${numbersOf(deployments) || 'none'}.`);
  }
  const [live] = deployments;
  if (live === undefined) throw new UsageError(`No release of ${where} is live yet.`);
  const earlier = deployments.filter(({ releaseNumber }) => releaseNumber < live.releaseNumber);
  const before = earlier.toSorted((one, other) => other.releaseNumber - one.releaseNumber)[0];
  if (before !== undefined) return before.releaseId;
  throw new UsageError(`No release of ${where} was live before release ${live.releaseNumber}.`);
}

function numbersOf(deployments: readonly Deployment[]): string {
  return [...new Set(deployments.map(({ releaseNumber }) => releaseNumber))].join(', ');
}
