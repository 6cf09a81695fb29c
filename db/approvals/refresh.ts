import { v7 as uuid } from 'uuid';
import { Problem } from '../../domain/problems.ts';
import { openBuildsOf } from '../builds/of-change-set.ts';
import { compose, deploymentsOf, type Images, start } from '../change-sets/apply/apply-draft.ts';
import { type Plan, planChanges } from '../change-sets/apply/plan.ts';
import { imageOf } from '../change-sets/apply/resolved-image.ts';
import { downtimeOf } from '../deployments/admission/downtime.ts';
import { close } from '../deployments/admission/writes.ts';
import { admit, lockAdmission, type ProjectRef } from '../deployments/admission.ts';
import { sourceOf, targetOf } from '../deployments/promotion/places.ts';
import { promote } from '../deployments/promotion/promote.ts';
import { refuseOtherBuildValues } from '../deployments/promotion/variables.ts';
import { type ReleaseToDeploy, requestDeployment } from '../deployments/request-deployment.ts';
import { planRerun } from '../deployments/rerun/plan-rerun.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { refuseAllBroken } from '../references/refuse.ts';
import type { ReleaseKeys } from '../releases/compose.ts';
import type { ApprovalRef } from './decide.ts';
import { requestApproval } from './request.ts';

/**
 * Composes what a pending approval holds against the environment as it is now, and asks for a new approval of that, of
 * the same requester; the old one is superseded. Answers the new one's id.
 */
export async function refreshApproval(
  effect: Effect,
  keyring: ReleaseKeys,
  { id, organizationId, projectId }: ApprovalRef,
): Promise<string> {
  const project = { organizationId, projectId };
  await lockAdmission(effect, project);
  const row = await pendingOf(effect, organizationId, id);
  return row.changeSetId === null
    ? await requestAgain(effect, keyring, project, row)
    : await composeAgain(effect, keyring, project, { ...row, changeSetId: row.changeSetId });
}

type Pending = Awaited<ReturnType<typeof pendingOf>>;

async function pendingOf({ kysely }: Effect, organizationId: string, id: string) {
  const row = await tenant(kysely, organizationId)
    .selectFrom('approval')
    .leftJoin('deployment', 'deployment.id', 'approval.deployment_id')
    .leftJoin('release', (join) =>
      join.onRef('release.id', '=', 'deployment.release_id').on('approval.kind', '=', 'promote'),
    )
    .select('release.promoted_from_release_id as promotedFrom')
    .select(['approval.id', 'approval.environment_id as environmentId', 'approval.change_set_id as changeSetId'])
    .select(['approval.requested_by_kind as byKind', 'approval.requested_by_id as byId'])
    .select(['approval.requested_by_name as byName', 'approval.answerable_id as answerableId'])
    .select(['approval.decision', 'approval.kind', 'approval.reason', 'approval.expires_at as expiresAt'])
    .select([
      'deployment.rerun_of as rerunOf',
      'deployment.from_stage as fromStage',
      'deployment.kind as deploymentKind',
      'deployment.change_set_message as message',
    ])
    .select(['deployment.release_id as releaseId', 'deployment.service_id as serviceId', 'deployment.queued'])
    .where('approval.id', '=', id)
    .forUpdate('approval')
    .executeTakeFirst();
  if (row === undefined) throw new Problem('not-found', 'There is no such approval.');
  if (row.decision !== null) throw new Problem('already-decided', `It is ${row.decision} already.`);
  const { byKind, byId, byName, ...pending } = row;
  return { ...pending, requestedBy: { kind: byKind, id: byId, name: byName } };
}

/**
 * Its deployment supersedes the one that is held. A release is frozen, so the same one is asked for again; a promotion
 * takes the settings and variables of now.
 */
async function requestAgain(
  effect: Effect,
  keyring: ReleaseKeys,
  project: ProjectRef,
  pending: Pending,
): Promise<string> {
  const { environmentId, releaseId, serviceId, queued, reason, answerableId, requestedBy, promotedFrom } = pending;
  if (releaseId === null || serviceId === null)
    throw new Problem('conflict', 'Its deployment has been deleted: reject it.');
  const place = { ...project, environmentId, serviceId };
  const release = { ...place, id: releaseId };
  // The person who approves it is shown the downtime, and the variables that are missing.
  const accepted = { downtimeAccepted: true, missingAccepted: true };
  const asked = { queue: queued ?? true, reason, requestedBy, answerableId: answerableId ?? undefined };
  const rerun = await rerunAgain(effect, release, pending);
  const requested =
    promotedFrom === null || rerun !== undefined
      ? await requestDeployment(effect, keyring, release, {
          ...(rerun ?? { kind: kindAgain(pending) }),
          ...{ ...asked, downtimeAccepted: true, message: pending.message ?? '' },
        })
      : await promote(effect, keyring, { ...place, releaseId: promotedFrom }, { ...asked, ...accepted });
  if ('refused' in requested || requested.approvalId === undefined) {
    throw new Problem('conflict', 'It needs no approval any more, or its service is suspended: reject it.');
  }
  return requested.approvalId;
}

function kindAgain({ kind, deploymentKind }: Pending): 'rollback' | 'deploy' | 'redeploy' {
  if (kind === 'rollback') return kind;
  return deploymentKind === 'deploy' ? deploymentKind : 'redeploy';
}

/** A rerun stays one, if the deployment can still be repeated, and is held anew. */
async function rerunAgain(
  effect: Effect,
  release: ReleaseToDeploy,
  { id, rerunOf, fromStage }: Pick<Pending, 'id' | 'rerunOf' | 'fromStage'>,
) {
  if (rerunOf === null) return undefined;
  const { approval: _, ...rerun } = await planRerun(effect, rerunOf, release, fromStage ?? undefined, id);
  return { kind: 'rerun' as const, rerun };
}

/** The change set stays as it is: its images are those that were asked for, all else is as of now. */
async function composeAgain(
  effect: Effect,
  keyring: ReleaseKeys,
  project: ProjectRef,
  old: Pending & { changeSetId: string },
): Promise<string> {
  const { organizationId } = project;
  const { changeSetId, environmentId, reason, requestedBy, expiresAt, answerableId } = old;
  const place = { ...project, environmentId };
  const images = await heldImages(effect, organizationId, old.id);
  const promoted = new Map([...images].filter(([, { made }]) => made?.promotedFromReleaseId !== undefined));
  const held = await heldServices(effect, organizationId, old.id);
  const plan = await planChanges(effect.kysely, place, changeSetId, held, { promoted });
  if (plan.affected.length === 0 && plan.removed.length === 0) {
    throw new Problem('conflict', 'The services of these changes have left the environment: reject it.');
  }
  refuseAllBroken(plan.references);
  await refuseOthersOfBuilds(effect, keyring, place, plan, promoted);
  const released = await compose(effect, keyring, place, plan, images, changeSetId);
  const id = uuid();
  const changeSet = await effect.kysely
    .updateTable('change_set')
    .set({ approval_id: id })
    .where('id', '=', changeSetId)
    .where('organization_id', '=', organizationId)
    .returning(['title', 'downtime_accepted as downtimeAccepted'])
    .executeTakeFirstOrThrow();
  for (const deploymentId of await heldBy(effect, organizationId, old.id)) {
    await admit(effect, project, { event: 'cancel', id: deploymentId, because: 'superseded' });
  }
  await close(effect, project, [old.id], { decision: 'superseded' });
  const request = { changeSetId, reason, answerableId: answerableId ?? undefined };
  const down = await downtimeOf(
    effect.kysely,
    place,
    released.map(({ service, runsAs }) => ({ ...service, replaces: { runsAs } })),
  );
  await requestApproval(effect, place, { id, plan, released, request, down, after: { requestedBy, expiresAt } });
  const downtimeAccepted = changeSet.downtimeAccepted || down.length > 0;
  const asked = { changeSetId, ...changeSet, downtimeAccepted };
  const builds = new Map((await openBuildsOf(effect, place, changeSetId)).map((one) => [one.serviceId, one.id]));
  const deployments = deploymentsOf(place, plan, { released, builds }, asked, id).map((one) => ({
    ...one,
    requestedBy,
  }));
  if (deployments.length > 0) await start(effect, place, deployments);
  return id;
}

/** Refuses promoted images that were built with other values than the environment gives by now, as their promotion would be. */
async function refuseOthersOfBuilds(
  effect: Effect,
  keyring: ReleaseKeys,
  { organizationId, environmentId }: ProjectRef & { environmentId: string },
  { items }: Plan,
  promoted: Images,
): Promise<void> {
  for (const [serviceId, { made }] of promoted) {
    const place = { organizationId, environmentId, serviceId };
    const source = await sourceOf(effect, { ...place, releaseId: made?.promotedFromReleaseId ?? '' });
    await refuseOtherBuildValues(effect, keyring, place, source, await targetOf(effect, place), items);
  }
}

async function heldBy({ kysely }: Effect, organizationId: string, approvalId: string): Promise<string[]> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('deployment')
    .select('id')
    .where('approval_id', '=', approvalId)
    .where('finished_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Those that were to be deployed although nothing of them is staged are among them. */
async function heldServices({ kysely }: Effect, organizationId: string, approvalId: string): Promise<string[]> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('deployment')
    .select('service_id as serviceId')
    .where('approval_id', '=', approvalId)
    .execute();
  return rows.map(({ serviceId }) => serviceId);
}

async function heldImages({ kysely }: Effect, organizationId: string, approvalId: string): Promise<Images> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('deployment')
    .innerJoin('release', 'release.id', 'deployment.release_id')
    .select(['deployment.service_id as serviceId', 'release.content', 'release.image_ref as imageRef'])
    .select(['release.image_platforms as platforms', 'release.build_id as buildId'])
    .select(['release.git_commit_sha as gitCommitSha', 'release.promoted_from_release_id as promotedFrom'])
    .where('deployment.approval_id', '=', approvalId)
    .execute();
  return new Map(
    rows.map(({ serviceId, promotedFrom, ...release }) => {
      const { made, ...image } = imageOf(release);
      const from = promotedFrom === null ? {} : { promotedFromReleaseId: promotedFrom };
      const reference = release.content.settings.source.imageRepository;
      return [serviceId, { ...image, made: { ...made, ...from }, reference }];
    }),
  );
}
