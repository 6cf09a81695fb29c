import { sql } from 'kysely';
import type { VariableValue } from '../../domain/change-sets/staging.ts';
import { writtenOf } from '../../domain/references/frozen.ts';
import { type Dangling, nodeOf } from '../../domain/references/graph.ts';
import { referencesOf } from '../../domain/references/names.ts';
import type { ReleaseContent, ServiceSettings } from '../../domain/services/settings.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { referencesWith } from '../references/referring.ts';
import { openReleaseSecrets } from '../releases/secrets.ts';
import type { AppliedSet } from './after/applied-set.ts';
import { appliedSettings, appliedVariables, withItems } from './applied.ts';
import { newValue } from './apply/plan.ts';
import type { EnvironmentRef } from './environment-ref.ts';
import { draftItems, type ItemRow, sealedPlace } from './items.ts';
import type { NewItem, Stager } from './staging.ts';

/** The release that a service's settings made before a change set was applied. */
export interface Before {
  content: ReleaseContent;
  variables: ReadonlyMap<string, Omit<VariableValue, 'buildTime'>>;
}

/**
 * By service. A deployment that was not approved changed no settings, and neither did a redeployment; of a release that is
 * retired nothing is known.
 */
export async function beforeOf(
  { kysely }: Effect,
  keyring: Stager,
  { id, organizationId, environmentId }: AppliedSet,
): Promise<Map<string, Before>> {
  const { rows } = await sql<{ serviceId: string; id: string; content: ReleaseContent; sealed: Buffer | null }>`
    select own.service_id as "serviceId", release.id, release.content, release.sealed
    from (
      select service_id, max(admission_order) as last from deployment
      where organization_id = ${organizationId} and change_set_id = ${id} group by service_id
    ) own
    cross join lateral (
      select deployment.release_id from deployment
      left join approval on approval.id = deployment.approval_id
      left join change_set on change_set.id = deployment.change_set_id
      where deployment.organization_id = ${organizationId} and deployment.environment_id = ${environmentId}
        and deployment.service_id = own.service_id and deployment.admission_order < own.last
        and deployment.change_set_id is distinct from ${id}
        and deployment.kind in ('deploy', 'change-set', 'rollback', 'promote')
        and (approval.id is null or approval.decision = 'approved')
        and (change_set.id is null or change_set.applied_at is not null)
      order by deployment.admission_order desc limit 1
    ) as earlier
    join release on release.organization_id = ${organizationId} and release.id = earlier.release_id
      and release.retired_at is null
  `.execute(kysely);
  const found = new Map<string, Before>();
  for (const { serviceId, content, ...release } of rows) {
    const secrets = await openReleaseSecrets(keyring, { organizationId, ...release });
    const written = [...writtenOf(content, secrets)].map(
      ([key, { value, secret }]) => [key, { value, secret }] as const,
    );
    found.set(serviceId, { content, variables: new Map(written) });
  }
  return found;
}

/**
 * The value of a shared variable before a change set was applied: the one that the last change set before it gave. Nothing
 * but change sets sets them; undefined where none did, or the last one unset it.
 */
export async function sharedBefore(
  { kysely }: Effect,
  keyring: Stager,
  { id, organizationId, environmentId, appliedAt }: AppliedSet,
  key: string,
): Promise<VariableValue | undefined> {
  const item = await tenant(kysely, organizationId)
    .selectFrom('change_set_item')
    .innerJoin('change_set', 'change_set.id', 'change_set_item.change_set_id')
    .selectAll('change_set_item')
    .where('change_set_item.environment_id', '=', environmentId)
    .where('change_set_item.service_id', 'is', null)
    .where('change_set_item.key', '=', key)
    .where('change_set_item.kind', 'in', ['variable.set', 'variable.unset'])
    .where('change_set.applied_at', '<', appliedAt)
    .where('change_set.id', '<>', id)
    .orderBy('change_set.applied_at', 'desc')
    .orderBy('change_set_item.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return item && (await newValue(keyring, { organizationId, environmentId }, item));
}

/** A service as it was when it left an environment, which the item of its removal keeps, encrypted. */
export interface Removed {
  settings: ServiceSettings;
  variables: Record<string, Omit<VariableValue, 'buildTime'> & Partial<VariableValue>>;
}

/** Before it leaves: nothing else knows its values then, secret ones least of all. */
export async function keepRemoved(
  { kysely }: Effect,
  keyring: Stager,
  place: EnvironmentRef,
  serviceId: string,
  item: Pick<ItemRow, 'id'> | undefined,
): Promise<void> {
  const settings = (await appliedSettings(kysely, place, [serviceId])).get(serviceId);
  if (item === undefined || settings === undefined) return;
  const variables = (await appliedVariables(kysely, keyring, place, [serviceId])).get(serviceId) ?? new Map();
  const removed: Removed = { settings, variables: Object.fromEntries(variables) };
  const { organizationId } = place;
  const sealed_to = await keyring.encryptSecret(organizationId, sealedPlace(item.id), JSON.stringify(removed));
  await tenant(kysely, organizationId)
    .updateTable('change_set_item')
    .set({ sealed_to })
    .where('id', '=', item.id)
    .execute();
}

/** Undefined of one that left before its values were kept. */
export async function removedBy(
  keyring: Stager,
  { organizationId }: EnvironmentRef,
  { id, kind, sealed_to: sealed }: ItemRow,
): Promise<Removed | undefined> {
  if (kind !== 'service.remove' || sealed === null) return undefined;
  return JSON.parse(await keyring.decryptSecret(organizationId, sealedPlace(id), sealed)) as Removed;
}

/** A part of a service that is not restored, and why. */
interface Lost {
  label: string;
  reason: string;
}

/**
 * All that restores a removed service besides the other items of the batch. Variables whose references lead nowhere by now stay
 * away, and so do the files that are made of them; each is told.
 */
export async function restoring(
  { kysely }: Effect,
  place: EnvironmentRef,
  draftId: string,
  batch: readonly NewItem[],
  serviceId: string,
  { settings, variables }: Removed,
): Promise<{ items: NewItem[]; lost: Lost[] }> {
  const left = new Map(Object.entries(variables));
  const lost: Lost[] = [];
  const applied = await appliedSettings(kysely, place);
  const staged = await draftItems(kysely, place, draftId);
  const wanted = withItems(applied, staged).set(serviceId, settings);
  const others = batch.map(({ kind, serviceId: service_id, key, to }) => ({
    ...{ kind, service_id, key },
    refers: kind === 'variable.set' ? (referencesOf(String(to ?? '')) ?? null) : null,
  }));
  for (let broken: Dangling[] = []; ; ) {
    const own = [...left].map(([key, { value }]) => ({
      ...{ kind: 'variable.set' as const, service_id: serviceId, key },
      refers: referencesOf(value) ?? null,
    }));
    const items = [...staged, ...others, ...own];
    const [after] = await referencesWith(kysely, place, { settings: wanted, items });
    broken = after.dangling().filter(({ scope, key }) => scope === serviceId && left.has(key));
    if (broken.length === 0) break;
    // One that stays away may leave another one without its end.
    for (const [, [one]] of Map.groupBy(broken, nodeOf)) {
      if (one === undefined) continue;
      left.delete(one.key);
      lost.push({ label: `Variable ${one.key}`, reason: one.message });
    }
  }
  const files = settings.files.filter(({ variable }) => left.has(variable) || !(variable in variables));
  for (const { path, variable } of settings.files)
    if (!files.some((file) => file.path === path))
      lost.push({ label: `File ${path}`, reason: `its variable ${variable} is not restored` });
  const create: NewItem = { kind: 'service.create', serviceId, key: '', to: { ...settings, files } as never };
  const sets = [...left].map(
    // Those kept before builds were told apart say nothing of them.
    ([key, { value, secret, buildTime = 'no' }]): NewItem => {
      return { kind: 'variable.set', serviceId, key, to: value, secret, buildTime };
    },
  );
  return { items: [create, ...sets], lost };
}
