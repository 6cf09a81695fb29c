import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { Problem } from '../../../domain/problems.ts';
import { deployOrder } from '../../../domain/references/deploy-order.ts';
import { requestApproval } from '../../approvals/request.ts';
import { acceptDowntime, downtimeOf } from '../../deployments/admission/downtime.ts';
import { admit, lockAdmission, type NewDeployment, type ProjectRef } from '../../deployments/admission.ts';
import type { Effect } from '../../engine/effect.ts';
import { machineOf, refuseMisfit } from '../../environments/machine.ts';
import { refuseBuildLeaks } from '../../references/build-leaks.ts';
import { refuseAllBroken } from '../../references/refuse.ts';
import { frozenFor, scopesFor } from '../../references/values.ts';
import { composeRelease, type ReleaseKeys } from '../../releases/compose.ts';
import { auditDraft, type DraftRow, lockDraft, refuseChanged, renewDraft } from '../drafts.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import { needsBuild, requestBuilds } from './builds.ts';
import { keepOthers } from './part.ts';
import { hasImage, type Plan, type PlannedService, planChanges, type Uploads, wantedVariables } from './plan.ts';
import { refuseUnfit } from './refuse-unfit.ts';
import type { ApplyRequest, Released } from './request.ts';
import type { ResolvedImage } from './resolved-image.ts';
import { writeSettings } from './write.ts';

export interface Applied {
  approvalId: string | undefined;
  deployments: { id: string; releaseId: string; serviceId: string }[];
  /** Of services that were never deployed here. */
  firstDeploys: { deploymentId?: string; buildId?: string; serviceId: string }[];
  /** Images that are made first; their deployments are to come. */
  builds: { id: string; serviceId: string }[];
  /** Services whose settings are stored and of which nothing was started. */
  unreleasedServiceIds: string[];
}

export type ApplyTarget = EnvironmentRef & ProjectRef & { production: boolean };
/** Images that were resolved before the transaction, with the references that they were resolved from, by service. */
export type Images = ReadonlyMap<string, ResolvedImage & { reference: string }>;

/** Commits settings, releases and deployments of the draft together, or nothing. */
export async function applyDraft(
  effect: Effect,
  keyring: ReleaseKeys,
  place: ApplyTarget,
  images: Images,
  asked: ApplyRequest,
): Promise<Applied> {
  await lockAdmission(effect, place);
  const draft = await lockDraft(effect, place);
  if (draft.id !== asked.changeSetId) {
    throw new Problem('conflict', 'The changes were applied already; look at the environment again.');
  }
  await refuseChanged(effect, place, draft, asked.expectedRevision);
  const { deployServiceIds = [], serviceIds, uploads = new Map<string, string>() } = asked;
  const next = serviceIds === undefined ? undefined : await keepOthers(effect, place, draft, serviceIds);
  const plan = await planChanges(effect.kysely, place, draft.id, deployServiceIds, { uploads });
  refuseUnbuildable(plan, uploads);
  if (plan.items.length === 0 && deployServiceIds.length === 0 && uploads.size === 0) {
    throw new Problem('conflict', 'Nothing is staged; stage a change first.');
  }
  const applied = await applyPlan(effect, keyring, place, images, asked, plan);
  await renewDraft(effect, place, draft, next);
  recordApplied(effect, place, draft, plan, asked);
  return applied;
}

/** A change set of what is planned, with its releases and deployments; its actor is the caller's to start. */
export async function applyPlan(
  effect: Effect,
  keyring: ReleaseKeys,
  place: ApplyTarget,
  images: Images,
  asked: ApplyRequest,
  plan: Plan,
): Promise<Applied> {
  refuseStrangers(plan, asked.deployServiceIds ?? []);
  refuseSuspended(plan, asked.deployServiceIds ?? []);
  await refuseUnfit(effect, place, plan);
  refuseAllBroken(plan.references);
  await refuseBuildLeaks(effect.kysely, place, plan, { settings: plan.applied, items: [] });
  const approvalId = place.production && plan.needsApproval ? uuid() : undefined;
  if (approvalId !== undefined && plan.affected.some(({ uploaded }) => uploaded !== undefined)) {
    throw new Problem(
      'conflict',
      'In production a folder is built once its settings are approved: apply these first, then build it.',
    );
  }
  const released = await compose(effect, keyring, place, plan, images, asked.changeSetId);
  const toBuild = plan.affected.filter(needsBuild);
  const rolled = [
    ...released.map(({ service, runsAs }) => ({ ...service, replaces: { runsAs } })),
    ...toBuild.map((service) => ({ ...service, replaces: true })),
  ];
  const down = await downtimeOf(effect.kysely, place, rolled);
  const downtimeAccepted = await acceptDowntime(effect, place, down, asked.downtimeAccepted);
  const request = { ...asked, downtimeAccepted };
  await insertChangeSet(effect, place, request, approvalId);
  const digests = new Map(released.map(({ service, contentDigest }) => [service.serviceId, contentDigest]));
  if (approvalId === undefined) await writeSettings(effect, keyring, place, plan, digests);
  else await requestApproval(effect, place, { id: approvalId, plan, released, request, down });
  const builds = await requestBuilds(effect, place, plan, asked);
  const deployments = deploymentsOf(place, plan, { released, builds }, request, approvalId);
  if (deployments.length > 0) await start(effect, place, deployments);
  const first = new Set(plan.affected.filter((one) => !one.deployedBefore).map(({ serviceId }) => serviceId));
  const started = new Set([...deployments.map(({ serviceId }) => serviceId), ...builds.keys()]);
  return {
    approvalId,
    deployments: deployments.map(({ id, releaseId, serviceId }) => ({ id, releaseId, serviceId })),
    firstDeploys: [
      ...deployments.map(({ id, serviceId }) => ({ deploymentId: id, serviceId })),
      ...[...builds].map(([serviceId, buildId]) => ({ buildId, serviceId })),
    ].filter(({ serviceId }) => first.has(serviceId)),
    builds: [...builds].map(([serviceId, id]) => ({ id, serviceId })),
    unreleasedServiceIds: plan.affected.map(({ serviceId }) => serviceId).filter((id) => !started.has(id)),
  };
}

/**
 * A deployment of each release, in the order in which they begin: each after those of the services that it needs. Those of
 * services that are built first are to come, each by the id of its build.
 */
export function deploymentsOf(
  { environmentId }: EnvironmentRef,
  { needs }: Pick<Plan, 'needs'>,
  { released, builds }: { released: readonly Released[]; builds: ReadonlyMap<string, string> },
  { changeSetId, title, downtimeAccepted }: Pick<ApplyRequest, 'changeSetId' | 'title' | 'downtimeAccepted'>,
  approvalId: string | undefined,
): NewDeployment[] {
  const releases = new Map(released.map(({ service: { serviceId }, releaseId }) => [serviceId, releaseId]));
  const ids = new Map([...[...releases.keys()].map((id): [string, string] => [id, uuid()]), ...builds]);
  return [...deployOrder(needs, [...ids.keys()])].flatMap(([serviceId, before]): NewDeployment[] => {
    const [id, releaseId] = [ids.get(serviceId), releases.get(serviceId)];
    if (id === undefined || releaseId === undefined) return [];
    return [
      {
        ...{ id, releaseId, environmentId, serviceId },
        ...{ kind: 'change-set', queue: true, after: before.flatMap((one) => ids.get(one) ?? []) },
        ...{ changeSetId, changeSetMessage: title, downtimeAccepted },
        ...(approvalId === undefined ? {} : { approvalId }),
      },
    ];
  });
}

/** Freezes a release of each service that has something to run. */
export async function compose(
  effect: Effect,
  keyring: ReleaseKeys,
  place: EnvironmentRef & ProjectRef,
  { items, affected, references }: Plan,
  images: Images,
  changeSetId: string,
): Promise<Released[]> {
  const running = affected.filter((service) => hasImage(service) && !service.suspended);
  const ids = running.map(({ serviceId }) => serviceId);
  const values = await wantedVariables(effect.kysely, keyring, place, items, scopesFor(references, ids));
  const resolved = frozenFor(references, values, ids);
  const released: Released[] = [];
  const where = await machineOf(effect.kysely, place);
  for (const service of running) {
    const { serviceId, settings } = service;
    const { image, imageRef, platforms, file, made } = service.reused ?? resolvedFor(service, images);
    refuseMisfit(service.name, imageRef, platforms, where);
    const composed = await composeRelease(effect, keyring, {
      ...{ organizationId: place.organizationId, projectId: place.projectId, environmentId: place.environmentId },
      ...{ serviceId, settings, image, imageRef, platforms, file, changeSetId, ...made },
      ...(resolved.get(serviceId) ?? { variables: new Map(), reached: [] }),
    });
    const { id: releaseId, number, contentDigest, runsAs } = composed;
    released.push({ service, releaseId, number, contentDigest, runsAs, imageRef });
  }
  return released;
}

/** The image that was resolved before this transaction, if the draft still names the same one. */
function resolvedFor({ serviceId, name, settings: { source } }: PlannedService, images: Images): ResolvedImage {
  const found = images.get(serviceId);
  if (found?.reference === source.imageRepository) return found;
  throw new Problem(
    'change-set-changed',
    `The image of ${name} was changed while its digest was looked up; look at the staged changes, then apply again.`,
  );
}

function refuseStrangers({ affected }: Plan, deployServiceIds: readonly string[]): void {
  const there = new Set(affected.map(({ serviceId }) => serviceId));
  const message = 'no such service is in this environment; add it there first, or leave it out';
  const errors = deployServiceIds.flatMap((value, index) =>
    there.has(value) ? [] : [{ location: `body.deployServiceIds[${index}]`, message, value }],
  );
  if (errors.length === 0) return;
  throw new Problem('invalid-field', `${errors.map(({ value }) => value).join(', ')}: ${message}.`, { errors });
}

/** What was uploaded is built of services that have an upload as their source there. */
function refuseUnbuildable({ affected }: Plan, uploads: Uploads): void {
  const built = new Set(affected.filter(needsBuild).map(({ serviceId }) => serviceId));
  const message =
    'is of a service that is not in this environment, is suspended or has another source than an upload there';
  const errors = [...uploads.keys()].flatMap((value, index) =>
    built.has(value) ? [] : [{ location: `body.uploads[${index}].serviceId`, message, value }],
  );
  if (errors.length > 0) throw new Problem('invalid-field', `An upload ${message}.`, { errors });
}

/** Settings of a suspended service are stored; asked to deploy it, nothing of them is. */
function refuseSuspended({ affected }: Plan, deployServiceIds: readonly string[]): void {
  const suspended = affected.find((one) => one.suspended && deployServiceIds.includes(one.serviceId));
  if (suspended === undefined) return;
  throw new Problem(
    'service-suspended',
    `"${suspended.name}" is suspended there: resume it first, or leave it out of what is deployed.`,
  );
}

async function insertChangeSet(
  { kysely, author }: Effect,
  { organizationId, environmentId, projectId }: ApplyTarget,
  { changeSetId, title, reason, source, downtimeAccepted }: ApplyRequest,
  approvalId: string | undefined,
): Promise<void> {
  await kysely
    .insertInto('change_set')
    .values({
      ...{ id: changeSetId, organization_id: organizationId, environment_id: environmentId, project_id: projectId },
      ...{ title, reason, source, downtime_accepted: downtimeAccepted },
      state: approvalId === undefined ? 'applying' : 'held',
      approval_id: approvalId ?? null,
      applied_at: approvalId === undefined ? sql<Date>`now()` : null,
      ...{ requested_by_kind: author.kind, requested_by_id: author.id, requested_by_name: author.name },
    })
    .execute();
}

export async function start(effect: Effect, place: ProjectRef, deployments: readonly NewDeployment[]): Promise<void> {
  const decision = await admit(effect, place, { event: 'create', deployments });
  if (!('refused' in decision)) return;
  throw new Problem('conflict', 'A service was suspended meanwhile; look at the environment, then apply again.');
}

/** Tells the audit log of a change set that was just made, and starts its actor. */
export function recordApplied(
  effect: Effect,
  place: ApplyTarget,
  draft: Pick<DraftRow, 'id' | 'name'>,
  { items, affected }: Plan,
  { changeSetId: id, deployServiceIds }: Pick<ApplyRequest, 'changeSetId' | 'deployServiceIds'>,
): void {
  const again = affected.filter(({ serviceId }) => deployServiceIds?.includes(serviceId));
  const labels = [...items.map(({ label }) => label), ...again.map(({ name }) => `Deployment of ${name}`)];
  auditDraft(effect, place, 'applied', draft, labels);
  effect.tell({ start: 'change-set', id, organizationId: place.organizationId });
}
