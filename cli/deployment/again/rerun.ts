import { deploymentStages } from '../../../domain/deployments/states.ts';
import { command, UsageError } from '../../engine/command.ts';
import { eventsOption } from '../../engine/progress.ts';
import { restOptions } from '../../engine/rest.ts';
import { here } from '../../place/here.ts';
import { placeOfEnvironment } from '../../place/place-of-environment.ts';
import type { Deployment } from '../deployment.ts';
import { acceptingDowntime, downtimeOption, tellDeclined } from '../downtime.ts';
import { exitCodesText } from '../outcome.ts';
import { type CreateResult, seeThrough } from '../started.ts';
import { readWaiting, waitOptions } from '../waiting.ts';

export const rerun = command({
  summary: 'Reruns a deployment that failed, was cancelled or expired',
  usage: `DEPLOYMENT [--from-stage STAGE] [--reason TEXT] [--accept-downtime] [--wait | --no-wait]
  [--timeout 10m] [--json]`,
  details: `A new deployment of the same release. Without --from-stage it begins anew, with an approval where one is needed. From a
stage that the deployment reached, other than approval, an approval that was given counts again if nothing that it relied on has
changed since. A release command runs again, except from start and the stages after it. Refused where something newer is live, under way or applied there: \`./ballast rollback\` goes back.
${exitCodesText}`,
  words: { least: 1, most: 1 },
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
    const place = await here(given);
    const path = `/deployments/${encodeURIComponent(id)}`;
    const { environmentId } = await place.rest.call<Deployment>('GET', path);
    const to = await placeOfEnvironment(place, environmentId);
    const body = {
      queue: true,
      ...(fromStage === undefined ? {} : { fromStage }),
      ...(reason === undefined ? {} : { reason }),
    };
    const started = await acceptingDowntime(given['accept-downtime'] ?? false, (downtime) =>
      place.rest.call<CreateResult>('POST', `${path}/rerun`, { ...body, ...downtime }),
    );
    if (started === undefined) return void tellDeclined();
    await seeThrough(place, to, started, waiting);
  },
});
