import { command, UsageError } from '../../engine/command.ts';
import { eventsOption } from '../../engine/progress.ts';
import { restOptions } from '../../engine/rest.ts';
import { printable } from '../../engine/table.ts';
import { wholeNumberOf } from '../../engine/whole-number-of.ts';
import { chosenEnvironment, chosenProject, chosenService, type Environment, type Service } from '../../place/chosen.ts';
import { type Here, here, projectOption, serviceOption } from '../../place/here.ts';
import type { Deployment } from '../deployment.ts';
import { acceptingDowntime, downtimeOption, tellDeclined } from '../downtime.ts';
import { exitCodesText } from '../outcome.ts';
import { type CreateResult, seeThrough } from '../started.ts';
import { readWaiting, waitOptions } from '../waiting.ts';
import { completeVariables, givenVariables, type PromotionPreview, variableOptions } from './given-variables.ts';
import { acceptingMissing, missingOption } from './missing.ts';

export const promote = command({
  summary: 'Runs the image of a release in another environment',
  usage: `[SERVICE] [--from ENVIRONMENT] --to ENVIRONMENT [--release NUMBER] [--reason TEXT] [--set KEY[=VALUE]]…
  [--generate KEY]… [--copy KEY]… [--project PROJECT] [--accept-downtime] [--accept-missing] [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: `The image goes along to the byte, nothing is built; settings and variables are those of the target, and what is staged there
stays staged. Without --from it is staging, or the environment that the directory remembers; without --release the release that is
live there. In production it is held until somebody approves it: --wait waits for that, too.

A target that lacks the service gets it, with the settings of the release and its plain variables. Secrets do not come along: each is given
by --set, made by --generate, or taken over by --copy, which is refused out of production; at a terminal they are asked for. All of it is one
change set, and in production one approval.
${exitCodesText}`,
  words: { least: 0, most: 1 },
  options: {
    from: { type: 'string', value: 'ENVIRONMENT', what: 'Slug or name of the environment of the release.' },
    to: { type: 'string', value: 'ENVIRONMENT', what: 'Slug or name of the environment that is to run it.' },
    release: { type: 'string', value: 'NUMBER', what: 'Number of the release; else the live one.' },
    reason: { type: 'string', value: 'TEXT', what: 'Shown to the person who approves it.' },
    ...downtimeOption,
    ...missingOption,
    ...variableOptions,
    ...waitOptions,
    ...projectOption,
    ...serviceOption,
    ...restOptions,
    ...eventsOption,
  },
  run: async ({ from, to, release, reason, ...given }, [word]) => {
    const waiting = readWaiting(given);
    const named = givenVariables(given);
    const number = wholeNumberOf('--release', release, 1, Number.MAX_SAFE_INTEGER);
    if (to === undefined) throw new UsageError('Say by --to which environment is to run it.');
    if (word !== undefined && given.service !== undefined && word !== given.service)
      throw new UsageError('The service is named twice, and differently; leave one of the two out.');
    const origin = from === undefined ? {} : { environment: from };
    const place = await here({ ...given, ...origin, service: word ?? given.service });
    const project = await chosenProject(place);
    const service = await chosenService(place, project);
    const source = await chosenEnvironment(place, project, { change: false });
    const wanted = { ...place.wanted, environment: to };
    const environment = await chosenEnvironment({ ...place, wanted, named: true }, project, { change: true });
    if (source.id === environment.id)
      throw new UsageError(
        `--from and --to are both ${environment.slug}; \`./ballast redeploy\` rolls a release again.`,
      );
    const releaseId = await releaseToPromote(place, source, service, number);
    const toEnvironmentId = environment.id;
    const preview = await place.rest.call<PromotionPreview>(
      'GET',
      `/services/${service.id}/promotion?releaseId=${releaseId}&toEnvironmentId=${toEnvironmentId}`,
    );
    const names = { service: printable(service.slug), environment: printable(environment.slug) };
    const variables = await completeVariables(preview, named, { ...names, quiet: given.json === true });
    const body = {
      ...{ releaseId, toEnvironmentId, queue: true, source: 'cli' },
      ...(variables.length === 0 ? {} : { variables }),
      ...(reason === undefined ? {} : { reason }),
    };
    const started = await acceptingMissing(given['accept-missing'] ?? false, (missing) =>
      acceptingDowntime(given['accept-downtime'] ?? false, (downtime) =>
        place.rest.call<CreateResult>('POST', `/services/${service.id}/promote`, { ...body, ...missing, ...downtime }),
      ),
    );
    if (started === undefined) return void tellDeclined();
    await seeThrough(place, { project, environment }, started, waiting);
  },
});

async function releaseToPromote(
  { rest }: Here,
  environment: Environment,
  service: Service,
  number: number | undefined,
): Promise<string> {
  const filter = { environmentId: environment.id };
  const where = `${service.slug} in ${environment.slug}`;
  if (number === undefined) {
    const deployments = await rest.all<Deployment>(`/services/${service.id}/deployments`, undefined, {
      ...filter,
      state: 'live',
    });
    const serving = deployments.find((one) => one.serving);
    if (serving !== undefined) return serving.releaseId;
    throw new UsageError(`No release of ${where} is live; name another one by --release, or deploy there first.`);
  }
  const releases = await rest.all<{ id: string; number: number }>(
    `/services/${service.id}/releases`,
    undefined,
    filter,
  );
  const found = releases.find((one) => one.number === number);
  if (found !== undefined) return found.id;
  const there = releases.slice(0, 20).map((one) => one.number);
  throw new UsageError(`There is no release ${number} of ${where}; there is: ${there.join(', ') || 'none'}.`);
}
