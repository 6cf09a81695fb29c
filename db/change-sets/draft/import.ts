import { isDeepStrictEqual } from 'node:util';
import type { VariableValue } from '../../../domain/change-sets/staging.ts';
import type { BuildTime } from '../../../domain/variables/build-time.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Keyring } from '../../keys/keys.ts';
import { appliedVariables } from '../applied.ts';
import { newValue } from '../apply/plan.ts';
import type { EnvironmentRef } from '../environment-ref.ts';
import { draftItems } from '../items.ts';

/** The variables of a service, or those shared, as they will be once the draft is applied, secret ones decrypted, by key. */
export async function wantedVariables(
  effect: Pick<Effect, 'kysely'>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  place: EnvironmentRef,
  draftId: string,
  serviceId = '',
): Promise<Map<string, VariableValue>> {
  const applied = await appliedVariables(effect.kysely, keyring, place, [serviceId]);
  const wanted = new Map(applied.get(serviceId));
  const items = await draftItems(effect.kysely, place, draftId, serviceId === '' ? undefined : [serviceId]);
  for (const item of items) {
    if ((item.service_id ?? '') !== serviceId) continue;
    if (item.kind === 'variable.unset') wanted.delete(item.key);
    const value = await newValue(keyring, place, item);
    if (value !== undefined) wanted.set(item.key, value);
  }
  return wanted;
}

export const importChanges = ['added', 'changed', 'unchanged', 'removed'] as const;

export interface ImportedKey {
  key: string;
  change: (typeof importChanges)[number];
  secret: boolean;
  /** Of one that is removed, as it was. */
  buildTime: BuildTime;
  /** Empty where it is secret or absent. */
  from: string;
  to: string;
}

/** The changes of an import, key by key; the removed ones only if everything else shall go. */
export function comparedImport(
  before: ReadonlyMap<string, VariableValue>,
  after: ReadonlyMap<string, VariableValue>,
  replace: boolean,
): ImportedKey[] {
  const given = [...after].map(([key, to]): ImportedKey => {
    const from = before.get(key);
    const change = from === undefined ? 'added' : isDeepStrictEqual(from, to) ? 'unchanged' : 'changed';
    return {
      key,
      change,
      secret: to.secret,
      buildTime: to.buildTime,
      from: shown(from, to.secret),
      to: shown(to, to.secret),
    };
  });
  if (!replace) return given;
  const gone = [...before].filter(([key]) => !after.has(key));
  return [
    ...given,
    ...gone.map(
      ([key, from]): ImportedKey => ({
        ...{ key, change: 'removed', secret: from.secret, buildTime: from.buildTime },
        ...{ from: shown(from, false), to: '' },
      }),
    ),
  ];
}

function shown(value: VariableValue | undefined, secret: boolean): string {
  return value === undefined || value.secret || secret ? '' : value.value;
}
