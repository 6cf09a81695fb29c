import { type Kysely, sql } from 'kysely';
import type { DeploymentState } from '../../../domain/deployments/states.ts';
import { appliedSettings } from '../../change-sets/applied.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import { referencesIn } from '../../references/referred.ts';
import type { ServiceView } from '../services.ts';
import { wantedSettings } from '../wanted-settings.ts';

/** All that the deletion of a service ends, and what stands against it. */
export interface DeletionImpact {
  /** Those that have it, oldest first. */
  environments: { id: string; name: string; production: boolean; live: boolean }[];
  deployments: { id: string; environmentId: string; environmentName: string; state: DeploymentState }[];
  /** Requests of a decision about it alone. */
  approvals: HeldApproval[];
  stagedChanges: number;
  /** Services that depend on it, and where: in their definition, or in environments by name. */
  dependents: { id: string; name: string; slug: string; environments: string[] }[];
  /** Values that refer to it, those of shared variables among them: applied, or staged to be. */
  references: { environmentId: string; environmentName: string; variable: string; refersTo: string }[];
  /** Requests of a decision about it and others. */
  heldWith: HeldApproval[];
}

export interface HeldApproval {
  id: string;
  environmentId: string;
  environmentName: string;
  changeSetId: string | null;
}

type Service = Pick<ServiceView, 'id' | 'organizationId' | 'projectId' | 'slug'>;

export async function deletionImpact(kysely: Kysely<Tables>, service: Service): Promise<DeletionImpact> {
  const held = await heldApprovals(kysely, service);
  return {
    environments: await environmentsWith(kysely, service),
    deployments: await openDeployments(kysely, service),
    approvals: held.filter(({ alone }) => alone).map(({ alone: _, ...approval }) => approval),
    stagedChanges: await countStaged(kysely, service),
    ...(await referrersOf(kysely, service)),
    heldWith: held.filter(({ alone }) => !alone).map(({ alone: _, ...approval }) => approval),
  };
}

async function environmentsWith(kysely: Kysely<Tables>, { id, organizationId }: Service) {
  return await tenant(kysely, organizationId)
    .selectFrom('environment_service')
    .innerJoin('environment', 'environment.id', 'environment_service.environment_id')
    .select(['environment.id', 'environment.name', 'environment.production'])
    .select(sql<boolean>`environment_service.live_release_id is not null`.as('live'))
    .where('environment_service.service_id', '=', id)
    .where('environment.deletion_id', 'is', null)
    .orderBy('environment.created_at')
    .orderBy('environment.id')
    .execute();
}

async function openDeployments(kysely: Kysely<Tables>, { id, organizationId }: Service) {
  return await tenant(kysely, organizationId)
    .selectFrom('deployment')
    .innerJoin('environment', 'environment.id', 'deployment.environment_id')
    .select(['deployment.id', 'deployment.environment_id as environmentId', 'deployment.state'])
    .select('environment.name as environmentName')
    .where('deployment.service_id', '=', id)
    .where('deployment.finished_at', 'is', null)
    .orderBy('deployment.admission_order')
    .execute();
}

async function heldApprovals(kysely: Kysely<Tables>, { id, organizationId, projectId }: Service) {
  const { rows } = await sql<HeldApproval & { alone: boolean }>`
    select approval.id, approval.environment_id as "environmentId", environment.name as "environmentName",
      approval.change_set_id as "changeSetId", not exists (
        select from change_set_item other where other.organization_id = approval.organization_id
          and other.change_set_id = approval.change_set_id and other.service_id is distinct from ${id}) as alone
    from approval join environment on environment.organization_id = approval.organization_id
      and environment.id = approval.environment_id
    where approval.organization_id = ${organizationId} and approval.project_id = ${projectId}
      and approval.decision is null and (
        exists (select from deployment where deployment.organization_id = approval.organization_id
          and deployment.id = approval.deployment_id and deployment.service_id = ${id})
        or exists (select from change_set_item item where item.organization_id = approval.organization_id
          and item.change_set_id = approval.change_set_id and item.service_id = ${id}))
    order by approval.created_at, approval.id
  `.execute(kysely);
  return rows;
}

async function countStaged(kysely: Kysely<Tables>, { id, organizationId }: Service): Promise<number> {
  const { count } = await tenant(kysely, organizationId)
    .selectFrom('change_set_item')
    .innerJoin('draft', 'draft.id', 'change_set_item.change_set_id')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('change_set_item.service_id', '=', id)
    .executeTakeFirstOrThrow();
  return count;
}

/** By definitions, and by the settings that environments have or are about to have. */
async function referrersOf(
  kysely: Kysely<Tables>,
  { id, organizationId, projectId, slug }: Service,
): Promise<Pick<DeletionImpact, 'dependents' | 'references'>> {
  const own = tenant(kysely, organizationId);
  const others = await own
    .selectFrom('service')
    .select(['id', 'name', 'slug', 'definition'])
    .where('project_id', '=', projectId)
    .where('id', '<>', id)
    .where('deletion_id', 'is', null)
    .orderBy('name')
    .orderBy('id')
    .execute();
  const environments = await own
    .selectFrom('environment')
    .select(['id', 'name'])
    .where('project_id', '=', projectId)
    .where('deletion_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const places = new Map<string, string[]>();
  const references: DeletionImpact['references'] = [];
  for (const { id: environmentId, name } of environments) {
    const ref = { organizationId, environmentId };
    const settings = [...(await appliedSettings(kysely, ref)), ...(await wantedSettings(kysely, ref))];
    const depending = new Set(settings.flatMap(([one, { dependsOn }]) => (dependsOn.includes(slug) ? [one] : [])));
    const found = await referencesIn(kysely, ref);
    for (const all of found === undefined ? [] : [found.applied, found.wanted])
      for (const [one, to] of all.refersTo()) if (to.has(id)) depending.add(one);
    references.push(...referencesTo(id, found).map((one) => ({ environmentId, environmentName: name, ...one })));
    for (const one of depending) places.set(one, [...(places.get(one) ?? []), name]);
  }
  const dependents = others.flatMap(({ definition, ...other }) => {
    const names = places.get(other.id);
    if (names === undefined && !definition.dependsOn.includes(slug)) return [];
    return [{ ...other, environments: names ?? [] }];
  });
  return { dependents, references };
}

/** Each once, as people write them: `shared.URL` refers to `db.HOST`. */
function referencesTo(id: string, found: Awaited<ReturnType<typeof referencesIn>>) {
  const pairs = new Map<string, { variable: string; refersTo: string }>();
  for (const all of found === undefined ? [] : [found.applied, found.wanted]) {
    for (const { variable, reference } of all.leadingTo(id)) {
      const one = { variable: all.names.labelOf(variable), refersTo: reference };
      pairs.set(`${one.variable} ${one.refersTo}`, one);
    }
  }
  return [...pairs.values()].toSorted((one, other) => (one.variable < other.variable ? -1 : 1));
}

/** Where a service was and what it had, as the list of deleted things tells it. */
export async function describeService(
  kysely: Kysely<Tables>,
  { id, organizationId, projectId }: ServiceView,
  { environments }: Pick<DeletionImpact, 'environments'>,
): Promise<{ context: string; detail: string }> {
  const own = tenant(kysely, organizationId);
  const { name } = await own.selectFrom('project').select('name').where('id', '=', projectId).executeTakeFirstOrThrow();
  const { volumes } = await own
    .selectFrom('volume')
    .select(sql<number>`count(*)::int`.as('volumes'))
    .where('service_id', '=', id)
    .where('deletion_id', 'is', null)
    .executeTakeFirstOrThrow();
  const places = environments.map((one) => one.name).join(', ');
  const parts = [places === '' ? '' : `In ${places}`, volumes === 0 ? '' : counted(volumes, 'volume')];
  return { context: name, detail: parts.filter((part) => part !== '').join('; ') };
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A size for people, in the unit in which it is a short number. */
export function inUnits(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1_000 ** at).toFixed(1))} ${units[at]}`;
}
