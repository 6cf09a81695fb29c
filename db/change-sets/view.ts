import { type Kysely, sql } from 'kysely';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import { type Down, downtimeOf, isReplacedAt, type Rolled } from '../deployments/admission/downtime.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { following, followingBy } from '../references/following.ts';
import { appliedSettings, withItems } from './applied.ts';
import { asDraft, type ChangeSetRecord } from './change-sets.ts';
import type { EnvironmentRef } from './environment-ref.ts';
import type { ItemRow } from './items.ts';
import type { Meant } from './staging.ts';

export interface ItemView extends ItemRow {
  serviceSlug: string | null;
}

export interface ChangeSetFullView {
  changeSet: ChangeSetRecord;
  items: ItemView[];
  summary: { affectedServiceIds: string[]; needsApproval: boolean; requiresDowntime: boolean };
}

/** The environment's draft with its items. `meant`: as who has just staged in it knows already. */
export async function changeSetView(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  meant?: Meant,
): Promise<ChangeSetFullView | undefined> {
  const { organizationId, environmentId } = place;
  const draft = await tenant(kysely, organizationId)
    .selectFrom('draft')
    .select(['id', 'revision', 'created_at'])
    .where('environment_id', '=', environmentId)
    .executeTakeFirst();
  if (draft === undefined) return undefined;
  const { id, revision, created_at: createdAt } = draft;
  return await viewOf(kysely, place, { ...asDraft, id, environmentId, revision, createdAt }, meant);
}

/** The same of a change set that was applied. */
export async function viewOf(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  changeSet: ChangeSetRecord,
  meant?: Meant,
): Promise<ChangeSetFullView> {
  const own = tenant(kysely, place.organizationId);
  const items = await own
    .selectFrom('change_set_item')
    .leftJoin('service', 'service.id', 'change_set_item.service_id')
    .selectAll('change_set_item')
    .select(['service.slug as serviceSlug', 'service.skip_production_approval as skipped'])
    .where('change_set_item.change_set_id', '=', changeSet.id)
    .orderBy('change_set_item.created_at')
    .orderBy('change_set_item.id')
    .execute();
  const environment = await own
    .selectFrom('environment')
    .select('production')
    .where('id', '=', place.environmentId)
    .executeTakeFirst();
  const { followers, down } =
    changeSet.state === 'draft'
      ? await meaningOf(kysely, place, items, meant)
      : { followers: await deployedBy(own, changeSet.id), down: [] };
  const following = followers.map(({ id }) => id);
  // An acceptance from before need not be asked for again.
  const downtimeAccepted = changeSet.downtimeAccepted || (down.length > 0 && down.every(({ accepted }) => accepted));
  const touched = items.flatMap(({ service_id: id }) => (id === null ? [] : [id]));
  const affectedServiceIds = [...new Set([...touched, ...following])];
  return {
    changeSet: { ...changeSet, downtimeAccepted },
    items,
    summary: {
      affectedServiceIds,
      needsApproval:
        environment?.production === true && [...items, ...followers].some(({ skipped }) => skipped !== true),
      requiresDowntime: changeSet.state === 'draft' ? down.length > 0 : changeSet.downtimeAccepted,
    },
  };
}

interface Follower {
  id: string;
  skipped: boolean;
}

/** The services that applying a draft would deploy without being named in it, and those that would stop for a moment. */
async function meaningOf(kysely: Kysely<Tables>, place: EnvironmentRef, items: readonly ItemRow[], known?: Meant) {
  const { wanted, services } = known
    ? { wanted: known.wanted, services: followingBy(known, { wanted: known.wanted, items }) }
    : await askedFor(kysely, place, items);
  const followers = await followersOf(kysely, place, services);
  return { followers, down: await downOf(kysely, place, wanted, items, services) };
}

async function askedFor(kysely: Kysely<Tables>, place: EnvironmentRef, items: readonly ItemRow[]) {
  const applied = await appliedSettings(kysely, place);
  const wanted = withItems(applied, items);
  return { wanted, services: (await following(kysely, place, { applied, wanted, items })).services };
}

/** The services whose references would lead to other values. */
async function followersOf(
  kysely: Kysely<Tables>,
  place: EnvironmentRef,
  services: readonly string[],
): Promise<Follower[]> {
  if (services.length === 0) return [];
  return await tenant(kysely, place.organizationId)
    .selectFrom('service')
    .select(['id', 'skip_production_approval as skipped'])
    .where(sql<boolean>`id = any(${services}::uuid[])`)
    .execute();
}

/** The services that a change set deployed, those among them whose references led to other values. */
async function deployedBy(own: ReturnType<typeof tenant>, changeSetId: string): Promise<Follower[]> {
  return await own
    .selectFrom('deployment')
    .innerJoin('service', 'service.id', 'deployment.service_id')
    .select(['service.id', 'service.skip_production_approval as skipped'])
    .where('deployment.change_set_id', '=', changeSetId)
    .distinct()
    .execute();
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
