import { type Kysely, sql } from 'kysely';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import { type Down, downtimeOf, isReplacedAt, type Rolled } from '../deployments/admission/downtime.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { following, followingBy } from '../references/following.ts';
import { appliedSettings, withItems } from './applied.ts';
import { asDraft, type ChangeSetRecord } from './change-sets.ts';
import type { EnvironmentRef } from './environment-ref.ts';
import { draftItems, type ItemRow } from './items.ts';
import type { Staged } from './staging.ts';

export interface ItemView extends ItemRow {
  serviceSlug: string | null;
}

export interface ChangeSetFullView {
  changeSet: ChangeSetRecord;
  items: ItemView[];
  summary: { affectedServiceIds: string[]; needsApproval: boolean; requiresDowntime: boolean };
}

/** The environment's draft with its items. `staged`: as who has just staged in it knows already. */
export async function changeSetView(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  staged?: Staged,
): Promise<ChangeSetFullView | undefined> {
  const { organizationId, environmentId } = place;
  const draft = await tenant(kysely, organizationId)
    .selectFrom('draft')
    .select(['id', 'revision', 'created_at'])
    .where('environment_id', '=', environmentId)
    .executeTakeFirst();
  if (draft === undefined) return undefined;
  const { id, revision, created_at: createdAt } = draft;
  return await viewOf(kysely, place, { ...asDraft, id, environmentId, revision, createdAt }, staged);
}

/** The same of a change set that was applied. */
export async function viewOf(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  changeSet: ChangeSetRecord,
  staged?: Staged,
): Promise<ChangeSetFullView> {
  const own = tenant(kysely, place.organizationId);
  const items = staged?.items ?? (await draftItems(kysely, place, changeSet.id));
  const environment = await own
    .selectFrom('environment')
    .select('production')
    .where('id', '=', place.environmentId)
    .executeTakeFirst();
  const { followers, down } =
    changeSet.state === 'draft'
      ? await meaningOf(kysely, place, items, staged)
      : { followers: await deployedBy(own, changeSet.id), down: [] };
  // An acceptance from before need not be asked for again.
  const downtimeAccepted = changeSet.downtimeAccepted || (down.length > 0 && down.every(({ accepted }) => accepted));
  const touched = items.flatMap(({ service_id: id }) => (id === null ? [] : [id]));
  const affectedServiceIds = [...new Set([...touched, ...followers])];
  const services = await servicesOf(own, affectedServiceIds);
  return {
    changeSet: { ...changeSet, downtimeAccepted },
    items: items.map((item) => ({ ...item, serviceSlug: services.get(item.service_id ?? '')?.slug ?? null })),
    summary: {
      affectedServiceIds,
      needsApproval: environment?.production === true && isHeld(items, affectedServiceIds, services),
      requiresDowntime: changeSet.state === 'draft' ? down.length > 0 : changeSet.downtimeAccepted,
    },
  };
}

interface Service {
  slug: string;
  skipped: boolean;
}

async function servicesOf(own: ReturnType<typeof tenant>, ids: readonly string[]): Promise<Map<string, Service>> {
  if (ids.length === 0) return new Map();
  const rows = await own
    .selectFrom('service')
    .select(['id', 'slug', 'skip_production_approval as skipped'])
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, ...service }) => [id, service]));
}

/** Whether applying to production waits for an approval: a shared variable is of no service that could skip it. */
function isHeld(items: readonly ItemRow[], affected: readonly string[], services: ReadonlyMap<string, Service>) {
  return items.some(({ service_id: id }) => id === null) || affected.some((id) => services.get(id)?.skipped !== true);
}

/** The services that applying a draft would deploy without being named in it, and those that would stop for a moment. */
async function meaningOf(kysely: Kysely<Tables>, place: EnvironmentRef, items: readonly ItemRow[], staged?: Staged) {
  const { wanted, services } = staged
    ? { wanted: staged.wanted, services: followingBy(staged, { wanted: staged.wanted, items }) }
    : await askedFor(kysely, place, items);
  return { followers: services, down: await downOf(kysely, place, wanted, items, services) };
}

async function askedFor(kysely: Kysely<Tables>, place: EnvironmentRef, items: readonly ItemRow[]) {
  const applied = await appliedSettings(kysely, place);
  const wanted = withItems(applied, items);
  return { wanted, services: (await following(kysely, place, { applied, wanted, items })).services };
}

/** The services that a change set deployed, those among them whose references led to other values. */
async function deployedBy(own: ReturnType<typeof tenant>, changeSetId: string): Promise<string[]> {
  const rows = await own
    .selectFrom('deployment')
    .select('service_id as id')
    .where('change_set_id', '=', changeSetId)
    .distinct()
    .execute();
  return rows.map(({ id }) => id);
}

const quiet: ReadonlySet<string> = new Set(['volume.grow']);

/** The services that applying would stop for a moment. Only drafts are asked about: afterwards the change set says what was accepted. */
async function downOf(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  wanted: ReadonlyMap<string, ServiceSettings>,
  items: readonly ItemRow[],
  followers: readonly string[],
): Promise<Down[]> {
  const rolled: Rolled[] = [];
  const touched = Map.groupBy(items, (item) => item.service_id);
  for (const serviceId of followers) if (!touched.has(serviceId)) touched.set(serviceId, []);
  for (const [serviceId, own] of touched) {
    const settings = serviceId === null ? undefined : wanted.get(serviceId);
    if (serviceId === null || settings === undefined) continue;
    if (Object.values(settings.processes).every(({ volumes }) => volumes === undefined)) continue;
    const replaces =
      followers.includes(serviceId) ||
      own.some(({ kind, key }) => !(quiet.has(kind) || (kind === 'process.set' && key === 'replicas'))) ||
      (await isReplacedAt(kysely, { ...place, serviceId }, settings));
    rolled.push({ serviceId, settings, replaces });
  }
  return await downtimeOf(kysely, place, rolled);
}
