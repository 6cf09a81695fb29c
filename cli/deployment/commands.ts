import type { z } from 'zod';
import type { statisticsSchema } from '../../api/deployments/statistics.ts';
import { defined } from '../../domain/defined.ts';
import { deploymentStages } from '../../domain/deployments/states.ts';
import { command, UsageError } from '../engine/command.ts';
import { wholeNumberOf } from '../engine/given.ts';
import { listed } from '../engine/outcome.ts';
import { eventsOption } from '../engine/progress.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asFacts, asTable, inParts, said } from '../engine/table.ts';
import { chosenService, environmentHere, type InService, serviceHere } from '../place/chosen.ts';
import { here, serviceOptions, type TargetOptions } from '../place/here.ts';
import { narrowed } from '../place/narrowed.ts';
import { placeOfEnvironment } from '../place/place-of-environment.ts';
import type { Deployment } from './deployment.ts';
import { downtimeOption } from './downtime.ts';
import { exitCodesText, follow, startAndSee, theseDeployments } from './follow.ts';
import { placeWords } from './place-words.ts';
import { readWaiting, waitOptions } from './waiting.ts';

export const rerun = command({
  summary: 'Reruns a deployment that failed, was cancelled or expired',
  usage: `DEPLOYMENT [--from-stage STAGE] [--reason TEXT] [--accept-downtime] [--wait | --no-wait]
  [--timeout 10m] [--json]`,
  details: `A new deployment of the same release. Without --from-stage it begins anew, with an approval where one is needed. From a
stage that the deployment reached, other than approval, an approval that was given counts again if nothing that it relied on has
changed since. A release command runs again, except from start and the stages after it. Refused where something newer is live, under way or applied there: \`./ballast rollback\` goes back.
${exitCodesText}`,
  options: {
    'from-stage': { type: 'string', value: 'STAGE', what: `One of ${deploymentStages.join(', ')}.` },
    reason: { type: 'string', value: 'TEXT', what: 'Shown to the person who approves it.' },
    ...downtimeOption,
    ...waitOptions,
    ...restOptions,
    ...eventsOption,
  },
  run: async (given, [id = '']) => {
    const waiting = readWaiting(given);
    const { 'from-stage': fromStage, reason } = given;
    if (fromStage !== undefined && !deploymentStages.some((stage) => stage === fromStage)) {
      throw new UsageError(`--from-stage wants one of ${deploymentStages.join(', ')}.`);
    }
    const { rest } = await here(given);
    const path = `/deployments/${encodeURIComponent(id)}`;
    const { environmentId } = await rest.call<Deployment>('GET', path);
    const there = await placeOfEnvironment(rest, environmentId);
    const body = defined({ queue: true, fromStage, reason });
    return await startAndSee(there, given, waiting, `${path}/rerun`, body);
  },
});

export const cancel = command({
  summary: 'Cancels a deployment that is under way',
  usage: `[DEPLOYMENT] [--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--wait | --no-wait]
  [--timeout 10m] [--json]`,
  details: `Without an id it is the one that is under way in the environment. One that waits ends at once. One that rolls returns to
the release that is live. Once the new release serves, only \`./ballast rollback\` returns to the one before: exit code 1.
Exit code 5: still under way when the time was up.`,
  options: { ...waitOptions, ...serviceOptions, ...eventsOption },
  run: async (given, [word]) => {
    const waiting = readWaiting(given);
    const { rest, id, words } =
      word === undefined ? await onlyOne(given) : { ...(await here(given)), id: word, words: '' };
    const cancelled = await rest.call<Deployment>('POST', `/deployments/${encodeURIComponent(id)}/cancel`);
    const { deployments, exitCode } = await follow(theseDeployments(rest, [id]), waiting, words);
    const [ended = cancelled] = deployments;
    if (waiting.until !== 'started') process.exitCode = { cancelled: 0, live: 1 }[ended.state as string] ?? exitCode;
    const asked = said`The deployment of ${ended.serviceName} is asked to end.`;
    return { json: ended, text: waiting.until === 'started' ? asked : '' };
  },
});

/** Its id, and the options that name its place. */
async function onlyOne(given: TargetOptions) {
  const place = await environmentHere(given, { change: true });
  const { rest, environment } = place;
  const service = given.service === undefined ? undefined : await chosenService(place, place.project);
  const filter = { open: 'true', ...(service !== undefined && { serviceId: service.id }) };
  const open = await rest.all<Deployment>(`/environments/${environment.id}/deployments`, undefined, filter);
  const [only, ...others] = open;
  if (only === undefined) throw new UsageError(`No deployment is under way in ${environment.slug}.`);
  if (others.length === 0) return { rest, id: only.id, words: placeWords(place) };
  const lines = open.map(({ id, serviceName, state, kind }) => said`\n  ${id}  ${serviceName}, ${kind}, ${state}`);
  throw new UsageError(`Several deployments are under way in ${environment.slug}; name one of them:${lines.join('')}`);
}

export const deploymentList = command({
  summary: 'Lists deployments, newest first',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--open | --failed] [--tail N] [--json]',
  details: `Only the options narrow it, not the directory: without any it lists those of all projects that the token may see.
\`./ballast deployment show ID\` has the stages of one, \`./ballast why ID\` what it waits for.`,
  options: {
    open: { type: 'boolean', what: 'Only those under way.' },
    failed: { type: 'boolean', what: 'Only failed ones.' },
    tail: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...serviceOptions,
  },
  run: async ({ open, failed, tail, ...given }) => {
    if (open && failed) throw new UsageError('--failed does not go with --open.');
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const { rest, filter, words } = await narrowed(given);
    const deployments = await rest.all<Deployment>('/deployments', most, {
      ...filter,
      ...(open && { open: 'true' }),
      ...(failed && { state: 'failed' }),
    });
    return listed({ deployments }, said`There is no such deployment in ${words}.`, {
      id: 'id',
      service: 'serviceName',
      environment: 'environmentName',
      release: ({ releaseNumber }) => `#${releaseNumber}`,
      kind: 'kind',
      state: ({ serving, state }) => (serving ? `${state}, serving` : state),
      created: 'createdAt',
      by: 'requestedBy',
      '': 'message',
    });
  },
});

export const deploymentShow = command({
  summary: 'Shows a deployment with its stages',
  usage: 'DEPLOYMENT [--json]',
  details: 'By its id, as `./ballast deployment list` has it.',
  options: restOptions,
  run: async (given, [id = '']) => {
    const deployment = await new Rest(given).call<Deployment>('GET', `/deployments/${encodeURIComponent(id)}`);
    const { kind, state, serving, blocker, message, failure, stages } = deployment;
    const facts = asFacts({
      deployment: `${deployment.id}, ${kind}`,
      of: `release #${deployment.releaseNumber} of "${deployment.serviceName}"`,
      in: `"${deployment.environmentName}" of "${deployment.projectName}"`,
      state: serving ? `${state}, its release serves` : state,
      blocker,
      message,
      approval: deployment.approvalId,
      'change set': deployment.changeSetId,
      'rerun of': deployment.rerunOf,
      'rerun as': deployment.rerunId,
      'requested by': deployment.requestedBy,
      created: deployment.createdAt,
      finished: deployment.finishedAt,
    });
    const table = asTable(stages, '', { stage: 'stage', began: 'startedAt', ended: 'endedAt', '': 'detail' });
    const lines = (failure?.lines ?? []).map((line) => said`  ${line}\n`);
    return { json: { deployment }, text: [inParts(facts, table), ...lines] };
  },
});

type Statistics = z.output<typeof statisticsSchema>;

export const deploymentStats = command({
  summary: 'Tells how long deployments take: median and 95th percentile, as a whole and per stage',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--since TIME] [--json]',
  details: `Of deployments that went live, created in the last 30 days or since TIME. Only the options narrow it, not the directory: without
any it tells of all that the token may see. The wait for an approval is a stage, and no part of the whole.`,
  options: {
    since: { type: 'string', value: 'TIME', what: 'Begin with deployments created then, as in 2026-11-01T00:00:00Z.' },
    ...serviceOptions,
  },
  run: async (given) => {
    const query = new URLSearchParams();
    if (given.since !== undefined) {
      const since = new Date(given.since);
      if (Number.isNaN(since.getTime())) throw new UsageError('--since wants a time as in 2026-11-01T00:00:00Z.');
      query.set('since', since.toISOString());
    }
    const { rest, filter, words } = await narrowed(given);
    for (const [name, id] of Object.entries(filter)) query.set(name, id);
    const found = await rest.call<Statistics>('GET', `/deployments/stats${query.size === 0 ? '' : `?${query}`}`);
    const text = asTable(
      found.sampleSize === 0 ? [] : [{ stage: 'total', ...found }, ...found.stages],
      said`No deployment of ${words} went live in that time.`,
      {
        stage: 'stage',
        median: ({ medianSeconds }) => medianSeconds.toFixed(1),
        p95: ({ p95Seconds }) => p95Seconds.toFixed(1),
        deployments: 'sampleSize',
      },
    );
    return { json: found, text, above: found.sampleSize === 0 ? '' : said`${words}, seconds` };
  },
});

export const redeploy = command({
  summary: 'Rolls the live release of a service again, the same bytes',
  usage: `[SERVICE] [--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--accept-downtime]
  [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: exitCodesText,
  options: { ...downtimeOption, ...waitOptions, ...serviceOptions, ...eventsOption },
  run: async (given, [word]) => {
    const waiting = readWaiting(given);
    if (word !== undefined && given.service !== undefined && word !== given.service)
      throw new UsageError('The service is named twice, and differently; leave one of the two out.');
    const place = await serviceHere({ ...given, service: word ?? given.service }, { change: true });
    const body = { environmentId: place.environment.id, queue: true };
    return await startAndSee(place, given, waiting, `/services/${place.service.id}/redeploy`, body);
  },
});

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
    const place = await serviceHere(given, { change: true });
    const releaseId = await releaseToReturnTo(place, number);
    return await startAndSee(place, given, waiting, `/releases/${releaseId}/rollback`, { queue: true });
  },
});

/** Releases are known by their deployments: a release that was never live is returned to only if it is named. */
async function releaseToReturnTo(
  { rest, environment, service }: InService,
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
