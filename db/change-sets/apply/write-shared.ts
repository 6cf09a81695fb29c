import { sql } from 'kysely';
import type { Effect } from '../../engine/effect.ts';
import type { Keyring } from '../../keys/keys.ts';
import { tenant } from '../../postgres/tenant.ts';
import { variablePlace } from '../applied.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import type { ItemRow } from '../items.ts';
import { newValue } from './plan.ts';

type Seals = Pick<Keyring, 'encryptSecret' | 'decryptSecret'>;

/** Shared variables are the environment's: services that refer to them are deployed besides. */
export async function writeShared(
  effect: Effect,
  keyring: Seals,
  place: EnvironmentRef,
  items: readonly ItemRow[],
): Promise<void> {
  const { organizationId, environmentId } = place;
  const own = tenant(effect.kysely, organizationId);
  const rows = [];
  for (const item of items.filter(({ kind }) => kind === 'variable.set')) {
    const { key, refers, staged_by_name: updatedBy } = item;
    const value = await newValue(keyring, place, item);
    if (value === undefined) continue;
    const bound = variablePlace(environmentId, '', key);
    rows.push({
      ...{ environment_id: environmentId, key, refers, updated_by: updatedBy },
      value: value.secret ? '' : value.value,
      build_time: value.buildTime,
      sealed: value.secret ? await keyring.encryptSecret(organizationId, bound, value.value) : null,
    });
  }
  if (rows.length > 0) {
    await own
      .insertInto('shared_variable')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['environment_id', 'key']).doUpdateSet(({ ref }) => ({
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
  const unset = items.filter(({ kind }) => kind === 'variable.unset').map(({ key }) => key);
  if (unset.length === 0) return;
  await own
    .deleteFrom('shared_variable')
    .where('environment_id', '=', environmentId)
    .where('key', 'in', unset)
    .execute();
}
