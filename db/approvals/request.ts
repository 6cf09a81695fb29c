import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { References } from '../../domain/references/graph.ts';
import { canonical } from '../../domain/releases/canonical.ts';
import { needsBuild } from '../change-sets/apply/builds.ts';
import type { Plan, PlannedService } from '../change-sets/apply/plan.ts';
import type { ApplyRequest, Released } from '../change-sets/apply/request.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { Down } from '../deployments/admission/downtime.ts';
import type { ProjectRef } from '../deployments/admission.ts';
import type { Author, Effect } from '../engine/effect.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { askDeciders, expiresAt } from './approvals.ts';

interface Requested {
  id: string;
  plan: Plan;
  released: readonly Released[];
  request: Pick<ApplyRequest, 'changeSetId' | 'reason' | 'answerableId'>;
  /** An approval that takes the place of another one has its requester, and expires when that would have. */
  after?: { requestedBy: Pick<Author, 'kind' | 'id' | 'name'>; expiresAt: Date };
  /** Services that would be down for a moment. */
  down: readonly Down[];
}

type ApprovalTarget = EnvironmentRef & ProjectRef;

/** Asks for a decision on a change set: with what changes, what it touches, and what the difference relies on. */
export async function requestApproval(effect: Effect, place: ApprovalTarget, requested: Requested): Promise<void> {
  const { id, plan, released, request, down, after } = requested;
  const { organizationId, environmentId, projectId } = place;
  const author = after?.requestedBy ?? effect.author;
  const affected = plan.affected.map(({ serviceId }) => serviceId);
  const touched = [...affected, ...plan.removed];
  const slugs = await slugsOf(effect, organizationId, touched);
  await tenant(effect.kysely, organizationId)
    .insertInto('approval')
    .values({
      ...{ id, project_id: projectId, environment_id: environmentId, change_set_id: request.changeSetId },
      kind: 'change-set',
      ...{ requested_by_kind: author.kind, requested_by_id: author.id, requested_by_name: author.name },
      answerable_id: request.answerableId ?? null,
      reason: request.reason,
      basis: await basisOf(effect, place, touched, reliedOn(plan.references, affected)),
      diff: json(diffOf(plan, slugs, await promotedBy(effect, organizationId, released))),
      impact: json(impactOf(plan, slugs, down, released)),
      target: json({ releases: released.map(targetOf) }),
      expires_at: after?.expiresAt ?? expiresAt(organizationId),
    })
    .execute();
  const environment = await tenant(effect.kysely, organizationId)
    .selectFrom('environment')
    .select('name')
    .where('id', '=', environmentId)
    .executeTakeFirstOrThrow();
  effect.audit(
    'approval.requested',
    { organizationId, id, name: environment.name },
    { environmentId, changeSet: request.changeSetId },
  );
  effect.change({ organizationId, projectId, kind: 'approval', id });
  await askDeciders(effect, organizationId, {
    ...{ approvalId: id, projectId, environmentId, environment: environment.name, kind: 'change-set' },
    ...{ reason: request.reason, requestedBy: author, answerableId: request.answerableId },
  });
}

/** The variables and processes of others that values of the releases are made of. */
export function reliedOn(references: References, serviceIds: readonly string[]): string[] {
  const own = new Set(serviceIds);
  const reached = references.reached([...references.referring].filter(({ scope }) => own.has(scope)));
  return [
    ...reached.variables.map(({ scope, key }) => `${scope} ${key}`),
    ...reached.processes.map(({ serviceId, processId }) => `${serviceId} :${processId}`),
  ].toSorted();
}

/**
 * What a difference relies on: the live release of each service, and its settings and variables as they are applied, with
 * the release that was made of them, since a tag may have come to mean another image; and what their references lead to.
 */
export async function basisOf(
  { kysely }: Pick<Effect, 'kysely'>,
  { organizationId, environmentId }: EnvironmentRef,
  serviceIds: readonly string[],
  reliedOn: readonly string[] = [],
): Promise<JsonObject> {
  const own = tenant(kysely, organizationId);
  const basis: JsonObject = {};
  for (const serviceId of [...serviceIds].toSorted()) {
    const place = await own
      .selectFrom('environment_service')
      .select(['settings', 'applied_digest as digest', 'live_release_id as live'])
      .where('environment_id', '=', environmentId)
      .where('service_id', '=', serviceId)
      .executeTakeFirst();
    const variables = await own
      .selectFrom('variable')
      .select(['key', 'value', sql<string>`encode(sealed, 'base64')`.as('sealed'), 'build_time as buildTime'])
      .where('environment_id', '=', environmentId)
      .where('service_id', '=', serviceId)
      .orderBy('key')
      .execute();
    // Those of run time alone stand as they did before builds were told apart, so that no open approval is stale for that.
    const shown = variables.map(({ buildTime, ...one }) =>
      buildTime === null || buildTime === 'no' ? one : { ...one, buildTime },
    );
    const text = canonical([place?.settings ?? null, shown, place?.digest ?? null]);
    const applied = createHash('sha256').update(text).digest('hex');
    basis[serviceId] = { live: place?.live ?? null, applied };
  }
  if (reliedOn.length > 0) basis.references = await referredTo(kysely, { organizationId, environmentId }, reliedOn);
  return basis;
}

/** Whether the same is still so. */
export async function basisNow(
  reading: Pick<Effect, 'kysely'>,
  place: EnvironmentRef,
  { references = {}, ...services }: JsonObject,
): Promise<JsonObject> {
  return await basisOf(reading, place, Object.keys(services), Object.keys(references ?? {}));
}

/** Hashes of these values as they are applied, sealed ones as they are sealed; empty where there is none. */
async function referredTo(
  kysely: Kysely<Tables>,
  { organizationId, environmentId }: EnvironmentRef,
  reliedOn: readonly string[],
): Promise<JsonObject> {
  const { rows } = await sql<{ name: string; hash: string }>`
    with asked as (select unnest(${reliedOn}::text[]) as name)
    select name, md5(value || coalesce(encode(sealed, 'base64'), '-')) as hash from asked
    join variable on variable.organization_id = ${organizationId} and variable.environment_id = ${environmentId}
      and name = concat(service_id, ' ', key)
    union all
    select name, md5(value || coalesce(encode(sealed, 'base64'), '-')) from asked
    join shared_variable shared on shared.organization_id = ${organizationId}
      and shared.environment_id = ${environmentId} and name = concat(' ', key)
    union all
    select name, concat(process.value ->> 'name', ' ', process.value ->> 'kind', ' ', process.value ->> 'port') from asked
    join environment_service place on place.organization_id = ${organizationId}
      and place.environment_id = ${environmentId} and starts_with(name, concat(place.service_id, ' :'))
    join lateral jsonb_each(place.settings -> 'processes') process on name = concat(place.service_id, ' :', process.key)
  `.execute(kysely);
  const found = new Map(rows.map(({ name, hash }) => [name, hash]));
  return Object.fromEntries(reliedOn.map((name) => [name, found.get(name) ?? '']));
}

/** Of services whose image another environment proved: the release that they get, and the one that it was promoted from. */
async function promotedBy({ kysely }: Effect, organizationId: string, released: readonly Released[]) {
  const origins = new Map(
    released.flatMap(({ service: { serviceId, reused } }) => {
      const from = reused?.made?.promotedFromReleaseId;
      return from === undefined ? [] : [[serviceId, from] as const];
    }),
  );
  if (origins.size === 0) return new Map<string, object>();
  const rows = await tenant(kysely, organizationId)
    .selectFrom('release')
    .innerJoin('environment', 'environment.id', 'release.environment_id')
    .select(['release.id as releaseId', 'release.number', 'environment.name as environment'])
    .where('release.id', 'in', [...origins.values()])
    .execute();
  return new Map(
    released.flatMap(({ service: { serviceId }, releaseId, number, imageRef }) => {
      const promotedFrom = rows.find((one) => one.releaseId === origins.get(serviceId));
      return promotedFrom === undefined
        ? []
        : [[serviceId, { to: { id: releaseId, number, image: imageRef }, promotedFrom }] as const];
    }),
  );
}

function diffOf({ items }: Plan, slugs: ReadonlyMap<string, string>, promoted: ReadonlyMap<string, object>) {
  return [...Map.groupBy(items, (item) => item.service_id)].map(([serviceId, group]) => ({
    serviceId,
    serviceSlug: slugs.get(serviceId ?? '') ?? '',
    ...promoted.get(serviceId ?? ''),
    items: group.map((item) => ({
      ...{ kind: item.kind, key: item.key, label: item.label, processId: item.process_id },
      ...{ from: item.from_value, to: item.to_value, secret: item.secret, toEmpty: item.to_empty },
      ...{ buildTime: item.build_time ?? '', fromBuildTime: item.from_build_time ?? '' },
    })),
  }));
}

function impactOf(
  { affected, removed }: Plan,
  slugs: ReadonlyMap<string, string>,
  down: readonly Down[],
  released: readonly Released[],
) {
  const running = new Set(released.map(({ service }) => service.serviceId));
  // Of others the settings change, and nothing is started: they have no image yet, or are suspended.
  const deploys = (service: PlannedService) => running.has(service.serviceId) || needsBuild(service);
  const willDeploy = affected.map(deploys);
  return {
    services: affected.map(({ serviceId, slug, name, settings, deployedBefore }, index) => ({
      ...{ id: serviceId, slug, name, firstDeploy: !deployedBefore, deploys: willDeploy[index] },
      processes: Object.entries(settings.processes).map(([id, one]) => ({
        id,
        name: one.name,
        replicas: one.replicas,
      })),
    })),
    removed: removed.map((id) => ({ id, slug: slugs.get(id) ?? '' })),
    replicas: affected
      .filter(deploys)
      .flatMap(({ settings }) => Object.values(settings.processes))
      .reduce((sum, one) => sum + one.replicas, 0),
    ...downtimeImpact(down),
  };
}

/** As people who decide are shown it. */
export function downtimeImpact(down: readonly Down[]) {
  return {
    requiresDowntime: down.length > 0,
    downtime: down.map(({ serviceId: id, name, stops, moved }) => ({
      ...{ id, name, moved },
      processes: stops.map(({ process, volumes }) => ({ name: process, volumes: volumes.map((one) => one.name) })),
    })),
  };
}

function targetOf({ service, releaseId, number, contentDigest, imageRef }: Released) {
  return { serviceId: service.serviceId, serviceSlug: service.slug, releaseId, number, contentDigest, image: imageRef };
}

async function slugsOf(
  { kysely }: Effect,
  organizationId: string,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await tenant(kysely, organizationId)
    .selectFrom('service')
    .select(['id', 'slug'])
    .where('id', 'in', serviceIds)
    .execute();
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

/** As the driver writes it: a list alone would be taken for an array of PostgreSQL. */
function json(value: unknown) {
  return sql<JsonValue>`${JSON.stringify(value)}::jsonb`;
}
