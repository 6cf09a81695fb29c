import { sql } from 'kysely';
import type { Effect } from '../../engine/effect.ts';
import type { Keyring } from '../../keys/keys.ts';
import { tenant } from '../../postgres/tenant.ts';
import { variablePlace } from '../applied.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import type { ItemRow } from '../items.ts';
import { newValue } from './plan.ts';

type Seals = Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;

/** A statement has at most 65,535 values. */
const mostRows = 1_000;

/** Sets and unsets variables, thousands in a few statements. A change set has one item for each. */
export async function writeVariables(
  effect: Effect,
  keyring: Seals,
  place: EnvironmentRef,
  items: readonly ItemRow[],
): Promise<void> {
  const ofVariables = items.filter(({ kind }) => kind.startsWith('variable.'));
  for (let from = 0; from < ofVariables.length; from += mostRows) {
    const part = ofVariables.slice(from, from + mostRows);
    await setVariables(effect, keyring, place, part);
    await unsetVariables(effect, place, part);
  }
}

async function setVariables(
  effect: Effect,
  keyring: Seals,
  place: EnvironmentRef,
  items: readonly ItemRow[],
): Promise<void> {
  const { organizationId, environmentId } = place;
  const rows = [];
  for (const item of items) {
    const { service_id: serviceId, key, refers, staged_by_name: updatedBy } = item;
    const value = await newValue(keyring, place, item);
    if (serviceId === null || value === undefined) continue;
    const bound = variablePlace(environmentId, serviceId, key);
    rows.push({
      ...{ environment_id: environmentId, service_id: serviceId, key, refers, updated_by: updatedBy },
      value: value.secret ? '' : value.value,
      build_time: value.buildTime,
      sealed: value.secret ? await keyring.encryptSecret(organizationId, bound, value.value) : null,
    });
  }
  if (rows.length === 0) return;
  await tenant(effect.kysely, organizationId)
    .insertInto('variable')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['environment_id', 'service_id', 'key']).doUpdateSet(({ ref }) => ({
        value: ref('excluded.value'),
        sealed: ref('excluded.sealed'),
        refers: ref('excluded.refers'),
        build_time: ref('excluded.build_time'),
        updated_by: ref('excluded.updated_by'),
        updated_at: sql`now()`,
      })),
    )
    .execute();
}

async function unsetVariables(
  effect: Effect,
  { organizationId, environmentId }: EnvironmentRef,
  items: readonly ItemRow[],
): Promise<void> {
  const unset = items.filter(({ kind }) => kind === 'variable.unset');
  if (unset.length === 0) return;
  const ids = unset.map(({ service_id: id }) => id);
  const keys = unset.map(({ key }) => key);
  await tenant(effect.kysely, organizationId)
    .deleteFrom('variable')
    .where('environment_id', '=', environmentId)
    .where(sql<boolean>`(service_id, key) in (select * from unnest(${ids}::uuid[], ${keys}::text[]))`)
    .execute();
}
