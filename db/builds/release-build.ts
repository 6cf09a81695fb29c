import { sql } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import type { FrozenConfig } from '../../domain/repository-config/effective.ts';
import { frozenConfig, type ToldConfig } from '../../domain/repository-config/told-config.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { ResolvedImage } from '../change-sets/apply/resolved-image.ts';
import { lockAdmission } from '../deployments/admission.ts';
import { requestDeployment } from '../deployments/request-deployment.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { ownImage } from '../registry/own-image.ts';
import type { ReleaseKeys } from '../releases/compose.ts';
import { appliedFor, composeApplied } from '../releases/compose-applied.ts';
import { type BuildRow, lockBuild } from './claim.ts';
import { deployMember } from './of-change-set.ts';

/** Composes the release of what was built, with the settings that are applied now. Twice is once. */
export async function composeBuilt(effect: Effect, keyring: ReleaseKeys, id: string): Promise<BuildRow | undefined> {
  const project = await projectOf(effect, id);
  if (project === undefined) return undefined;
  await lockAdmission(effect, project);
  const build = await lockBuild(effect, id);
  if (build === undefined || build.finished || build.state !== 'running') return undefined;
  const { image, releaseId, deploys, commitSha, changeSetId, repositoryConfig } = await builtOf(effect, id);
  // Of a commit that is not deployed by itself there is a release, which a person can deploy.
  if (!deploys && commitSha === '') return undefined;
  if (releaseId !== null) return build;
  const { name, settings } = await placeOf(effect, build);
  const resolved = await appliedFor(effect, keyring, build);
  const file = usableFile(repositoryConfig, commitSha);
  const built = { ...(await builtImage(effect, build, image)), file };
  const made = {
    ...{ buildId: id, ...(changeSetId === null ? {} : { changeSetId }) },
    ...(commitSha === '' ? {} : { gitCommitSha: commitSha }),
  };
  const release = await composeApplied(effect, keyring, build, { name, settings }, resolved, built, made);
  await effect.kysely.updateTable('build').set({ release_id: release.id }).where('id', '=', id).execute();
  return build;
}

/** Requests the deployment of the release of a build, once. */
export async function deployBuilt(effect: Effect, keyring: ReleaseKeys, id: string): Promise<string | undefined> {
  const project = await projectOf(effect, id);
  if (project === undefined) return undefined;
  await lockAdmission(effect, project);
  const build = await lockBuild(effect, id);
  if (build === undefined || build.finished) return undefined;
  const { releaseId, deploymentId, changeSetId, ...asked } = await builtOf(effect, id);
  if (!asked.deploys || releaseId === null || deploymentId !== null) return deploymentId ?? undefined;
  if (changeSetId !== null) return await deployMember(effect, keyring, build, { releaseId, changeSetId });
  const { reliedOn } = await appliedFor(effect, keyring, build);
  const { organizationId, projectId, environmentId, serviceId } = build;
  const release = { id: releaseId, organizationId, projectId, environmentId, serviceId };
  const requested = await requestDeployment(effect, keyring, release, {
    kind: 'deploy',
    queue: true,
    // A build cannot be asked: it knows what was accepted when it was requested.
    downtimeAccepted: asked.downtimeAccepted,
    downtimeAdvice: `Deploy release #${await releaseNumber(effect, release)} and accept the downtime.`,
    message: asked.title,
    reason: asked.title === '' ? `Build #${asked.number}` : `Build #${asked.number}: ${asked.title}`,
    answerableId: asked.actorUserId ?? undefined,
    requestedBy: asked.requestedBy,
    reliedOn,
  });
  if ('refused' in requested) throw refusal(requested.refused);
  const { deploymentId: requestedId } = requested;
  await effect.kysely.updateTable('build').set({ deployment_id: requestedId }).where('id', '=', id).execute();
  return requestedId;
}

function refusal(why: string): Problem {
  return why === 'service-suspended'
    ? new Problem('service-suspended', 'The service is suspended here: resume it, then deploy the release.')
    : new Problem('conflict', `The deployment was refused (${why}): deploy the release when that has passed.`);
}

async function projectOf({ kysely }: Effect, id: string) {
  return await kysely
    .selectFrom('build')
    .select(['organization_id as organizationId', 'project_id as projectId'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function builtOf({ kysely }: Effect, id: string) {
  const row = await kysely
    .selectFrom('build')
    .select(['image', 'release_id as releaseId', 'deployment_id as deploymentId', 'deploys', 'number'])
    .select(['commit_sha as commitSha', 'actor_user_id as actorUserId', 'change_set_id as changeSetId'])
    .select(sql<ToldConfig | null>`repository_config`.as('repositoryConfig'))
    .select(['title', 'downtime_accepted as downtimeAccepted'])
    .select(['requested_by_kind as kind', 'requested_by_id as by', 'requested_by_name as name'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { kind, by, name, ...built } = row;
  return { ...built, requestedBy: { kind, id: by, name } };
}

/** The agent may know an earlier form of the file than this control plane, and build what is a problem here. */
function usableFile(told: ToldConfig | null, commitSha: string): FrozenConfig | undefined {
  if (told?.status === 'invalid') throw new Problem('conflict', told.summary);
  return frozenConfig(told, commitSha);
}

async function releaseNumber(
  { kysely }: Effect,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<number> {
  const release = tenant(kysely, organizationId).selectFrom('release').select('number').where('id', '=', id);
  return (await release.executeTakeFirstOrThrow()).number;
}

async function placeOf(
  { kysely }: Effect,
  { organizationId, environmentId, serviceId }: BuildRow,
): Promise<{ name: string; settings: ServiceSettings }> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('environment_service as place')
    .innerJoin('service', 'service.id', 'place.service_id')
    .innerJoin('environment', 'environment.id', 'place.environment_id')
    .select(['place.settings', 'service.name'])
    .where('place.environment_id', '=', environmentId)
    .where('place.service_id', '=', serviceId)
    .where('service.deletion_id', 'is', null)
    .where('environment.deletion_id', 'is', null)
    .executeTakeFirst();
  if (row === undefined)
    throw new Problem(
      'conflict',
      'The service is not applied in this environment: apply what adds it, then build again.',
    );
  if (Object.keys(row.settings.processes).length === 0)
    throw new Problem('conflict', 'The service has no process here: create one and apply that, then build again.');
  return row;
}

async function builtImage({ kysely }: Effect, build: BuildRow, image: unknown): Promise<ResolvedImage> {
  const { digest } = image as { digest: string };
  const { repository, found } = await ownImage(kysely, build, { digest });
  if (found !== undefined) return found;
  throw new Problem(
    'image-not-resolved',
    `The image ${digest} that was built is not in ${repository} any more: build again.`,
  );
}
