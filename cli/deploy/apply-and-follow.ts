import { type Build, endOfBuild, followBuild, logBeside } from '../build/build.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { follow, ofChangeSet, stillUnderWay, theseDeployments, untilStale } from '../deployment/follow.ts';
import { placeWords } from '../deployment/place-words.ts';
import type { Waiting } from '../deployment/waiting.ts';
import { interruptedCode } from '../engine/interrupted.ts';
import { printable, said } from '../engine/table.ts';
import type { Here } from '../place/here.ts';
import { addressesOf, type OverviewService, overviewOf } from '../status.ts';
import { applyDraft, type Changes, draftWith, nothingStaged } from './apply-draft.ts';
import { tellProposals, tellVariablesOf } from './findings.ts';
import { followBuilds } from './follow-builds.ts';
import type { Interrupt } from './interrupt.ts';
import type { Complete } from './missing.ts';

interface ApplyOptions {
  message: string | undefined;
  all: boolean;
  downtimeAccepted: boolean;
  /** Deploys the service even if its release of the same content is live. */
  force: boolean;
  /** Its source is a repository, whose branch may be further by now. */
  repository?: boolean;
}

type ApplyTarget = Pick<Complete, 'project' | 'environment'> & { service?: Complete['service'] };

/** Applies the changes, sees them through, and prints where the service answers. */
export async function applyAndFollow(
  here: Here,
  to: ApplyTarget,
  changes: Changes,
  asked: ApplyOptions,
  waiting: Waiting,
  interrupt: Interrupt,
): Promise<void> {
  const { rest } = here;
  const { json } = waiting;
  const place = placeWords(to);
  const { upload } = changes;
  const again = upload === undefined ? await toDeployAgain(here, to, asked.force) : [];
  const seen = await draftWith(rest, to.environment, changes);
  if (asked.repository === true && seen.items.length === 0 && to.service !== undefined) {
    const build = await buildAnew(here, { ...to, service: to.service }, asked, interrupt, json);
    return await followBuilt(here, { ...to, service: to.service }, build, waiting, interrupt);
  }
  if (seen.items.length === 0 && again.length === 0 && upload === undefined) {
    interrupt.leaves('Nothing was changed.');
    const deployments = await unchanged(here, to, waiting, place, interrupt);
    return await tell(here, to, deployments, json);
  }
  const applied = await applyDraft(here, to.environment, changes, seen, {
    ...asked,
    deployServiceIds: again,
    interrupt,
  });
  if (applied === undefined) {
    process.stderr.write(`${nothingStaged}\n`);
    process.exitCode = 4;
    return;
  }
  tellLeft(seen.left, to.environment);
  const unbuilt = await followBuilds(rest, to, applied, waiting, interrupt, upload !== undefined);
  interrupt.leaves('The deployment continues without this command.');
  if (unbuilt === stillUnderWay) {
    process.exitCode = unbuilt;
    return await tell(here, to, [], json, applied.changeSet.id);
  }
  const look = untilStale(rest, ofChangeSet(rest, applied.changeSet.id));
  const { deployments, exitCode } = await follow(look, waiting, place, interrupt.stop);
  process.exitCode = unbuilt ?? exitCode;
  await tell(here, to, deployments, json, applied.changeSet.id);
}

/** Changes of other services are not deployed with this one, and not forgotten. */
export function tellLeft(left: number, { slug, production }: Complete['environment']): void {
  if (left === 0) return;
  const place = production ? ` --environment ${slug}` : '';
  const changes = left === 1 ? '1 other change stays staged' : `${left} other changes stay staged`;
  process.stderr.write(`${changes} in ${slug}: \`./ballast deploy --staged${place}\` applies all.\n`);
}

/** The service, if what is applied of it is not what serves: its last deployment failed or was cancelled. */
async function toDeployAgain({ rest }: Here, { environment, service }: ApplyTarget, force: boolean): Promise<string[]> {
  if (service === undefined) return [];
  const found = (await overviewOf(rest, environment)).find(({ serviceId }) => serviceId === service.id);
  // One that was never applied there is staged as a whole.
  if (found === undefined || found.stagedIn !== undefined) return [];
  return force || found.drift ? [service.id] : [];
}

/** Nothing is to be applied: what is under way is followed, and what is not live is named. */
async function unchanged(
  { rest }: Here,
  to: ApplyTarget,
  waiting: Waiting,
  place: string,
  interrupt: Interrupt,
): Promise<Deployment[]> {
  const { environment, service } = to;
  const path = `/environments/${environment.id}/deployments`;
  const of: Record<string, string> = service === undefined ? {} : { serviceId: service.id };
  const open = await rest.all<Deployment>(path, undefined, { ...of, open: 'true' });
  if (open.length > 0) {
    process.stderr.write(`Nothing new is staged in ${environment.slug}; this is under way there:\n`);
    const ids = open.map(({ id }) => id);
    const { deployments, exitCode } = await follow(
      untilStale(rest, theseDeployments(rest, ids)),
      waiting,
      place,
      interrupt.stop,
    );
    process.exitCode = exitCode;
    return deployments;
  }
  const concerned = (await overviewOf(rest, environment)).filter(
    ({ serviceId }) => service === undefined || serviceId === service.id,
  );
  const drifting = concerned.filter(({ drift }) => drift);
  for (const { serviceSlug, failedDeployment } of drifting) {
    const why = failedDeployment === undefined ? '' : `: ${printable(failedDeployment.message).replace(/\.$/, '')}`;
    process.stderr.write(
      `Nothing new is staged in ${environment.slug}, and what is applied of ${serviceSlug} is not live${why === '' ? ':' : `${why};`} \`./ballast deploy --staged --service ${serviceSlug}${place}\` tries it again.\n`,
    );
  }
  if (drifting.length > 0) process.exitCode = 1;
  else if (service === undefined)
    process.stderr.write(`Nothing is staged in ${environment.slug}: what is wanted is live.\n`);
  else process.stderr.write(alreadyLive(concerned[0], service.slug, environment.slug));
  return [];
}

function alreadyLive(one: OverviewService | undefined, service: string, environment: string): string {
  const release = one?.activeReleaseNumber;
  if (release === undefined) return `Nothing of ${service} is to be deployed in ${environment}.\n`;
  return `${service} is already live in ${environment}, as release ${release}; --force deploys it again.\n`;
}

/** Nothing of the settings changes: the branch is built as it is now. */
async function buildAnew(
  { rest }: Here,
  to: Complete,
  { message, downtimeAccepted }: ApplyOptions,
  interrupt: Interrupt,
  json: boolean,
): Promise<Build> {
  const { environment, service } = to;
  const accepted = downtimeAccepted ? { downtimeAccepted: true } : {};
  const body = { environmentId: environment.id, ...(message === undefined ? {} : { message }), ...accepted };
  const { id, number, branch, commitSha } = await rest.call<Build>('POST', `/services/${service.id}/builds`, body);
  interrupt.applied();
  interrupt.leaves('The build and its deployment continue without this command.');
  if (!json)
    process.stderr.write(
      said`Build #${number} of ${service.slug} for ${environment.slug}: ${commitSha.slice(0, 12)} of ${branch}\n`,
    );
  const found = (build: Build) => tellVariablesOf(rest, to, build);
  const built = await followBuild(rest, id, interrupt.signal, { json, log: json ? undefined : logBeside, found });
  if (built.status === 'succeeded') await tellProposals(rest, to, built);
  return built;
}

/** Sees the deployment of a build through, and prints where it answers. */
export async function followBuilt(
  here: Here,
  to: Complete,
  build: Build,
  waiting: Waiting,
  interrupt: Interrupt,
): Promise<void> {
  const { rest } = here;
  const { json } = waiting;
  const { deploymentId } = build;
  if (deploymentId === undefined) {
    process.stderr.write(endOfBuild(build, !json));
    process.exitCode = 1;
    return await tell(here, to, [], json);
  }
  interrupt.leaves('The deployment continues without this command.');
  const look = untilStale(rest, theseDeployments(rest, [deploymentId]));
  const place = placeWords(to);
  const { deployments, exitCode } = await follow(look, waiting, place, interrupt.stop);
  process.exitCode = exitCode;
  await tell(here, to, deployments, json);
}

/** The addresses alone are the result: `xdg-open $(./ballast deploy …)`. */
async function tell(
  { rest }: Here,
  { project, environment, service }: ApplyTarget,
  deployments: readonly Deployment[],
  json: boolean,
  changeSetId?: string,
): Promise<void> {
  const { exitCode = 0 } = process;
  if (!json && exitCode !== 0) return;
  const concerned = new Set(deployments.map(({ serviceId }) => serviceId));
  if (service !== undefined) concerned.add(service.id);
  // Nobody waits any longer: a control plane that hangs is not asked again.
  const left = exitCode === interruptedCode || exitCode === stillUnderWay;
  const services = left ? [] : await overviewOf(rest, environment);
  const addresses = services.filter(({ serviceId }) => concerned.has(serviceId)).flatMap(addressesOf);
  if (json) {
    const result = { project: project.slug, environment: environment.slug, changeSetId, deployments, addresses };
    return void process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
  }
  for (const address of addresses) process.stdout.write(said`${address}\n`);
}
