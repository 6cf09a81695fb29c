import type { Kysely } from 'kysely';
import { referencesOf } from '../../../domain/references/names.ts';
import type { ProcessSettings, ServiceSettings } from '../../../domain/services/settings.ts';
import type { BuildTime } from '../../../domain/variables/build-time.ts';
import { isOwnSecret } from '../../../domain/variables/own-secret.ts';
import { appliedSettings, appliedVariables, withItems } from '../../change-sets/applied.ts';
import { wantedVariables } from '../../change-sets/apply/plan.ts';
import { draftItems } from '../../change-sets/items.ts';
import type { Keyring } from '../../keys/keys.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import { referencesWith } from '../../references/referring.ts';
import { goesAlong, type Promotion, sourceOf, targetOf } from './places.ts';
import { type ComingVariable, comingVariables } from './variables.ts';

export interface PromotionPreview {
  adds: boolean;
  /** Changes of the service that are staged there and go along. */
  staged: number;
  held: boolean;
  releaseNumber: number;
  fromEnvironmentName: string;
  toEnvironmentName: string;
  processes: (Pick<ProcessSettings, 'kind' | 'replicas' | 'port'> & {
    name: string;
    volumes: { name: string; mountPath: string; sizeBytes: number }[];
  })[];
  variables: {
    key: string;
    secret: boolean;
    buildTime: BuildTime;
    from: 'copied' | 'there' | 'nowhere';
    value: string;
    proposal: '' | 'generate';
    /** Whether the value of the release's environment may be taken over. */
    copyable: boolean;
    problem: string;
  }[];
}

/** The settings and variables that a promotion would bring to the target, as far as it can be said before values are given. */
export async function promotionPreview(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  promotion: Promotion,
): Promise<PromotionPreview> {
  const { organizationId, environmentId, serviceId } = promotion;
  const place = { organizationId, environmentId };
  const source = await sourceOf({ kysely }, promotion);
  const target = await targetOf({ kysely }, promotion);
  const adds = target.settings === null;
  const draft = await tenant(kysely, organizationId)
    .selectFrom('draft')
    .select('id')
    .where('environment_id', '=', environmentId)
    .executeTakeFirst();
  const staged = adds && draft !== undefined ? await draftItems(kysely, place, draft.id, [serviceId]) : [];
  const along = staged.filter(goesAlong);
  const there = (await wantedVariables(kysely, keyring, place, along, [serviceId])).get(serviceId) ?? new Map();
  const origin = { organizationId, environmentId: source.environmentId };
  const variables = (await appliedVariables(kysely, keyring, origin, [serviceId])).get(serviceId) ?? new Map();
  const coming = comingVariables({ ...source, keys: source.variableKeys, variables }, { adds, variables: there }, []);
  const begun = target.settings ?? source.content.settings;
  const settings = withItems(new Map([[serviceId, begun]]), along).get(serviceId);
  const problems = await problemsOf(kysely, promotion, settings, coming);
  return {
    adds,
    staged: along.length,
    held: target.production && !(await isExcepted(kysely, promotion)),
    releaseNumber: source.number,
    fromEnvironmentName: source.environment,
    toEnvironmentName: target.environment,
    processes: Object.values(settings?.processes ?? {}).map(({ name, kind, port, replicas, volumes = {} }) => ({
      ...{ name, kind, replicas },
      ...(port === undefined ? {} : { port }),
      volumes: Object.values(volumes).map((one) => ({
        name: one.name,
        mountPath: one.mountPath,
        sizeBytes: one.sizeBytes,
      })),
    })),
    variables: coming.map(({ key, variable, secret, from }) => ({
      ...{ key, secret },
      buildTime: variable?.buildTime ?? variables.get(key)?.buildTime ?? there.get(key)?.buildTime ?? 'no',
      from: from === 'given' ? 'nowhere' : from,
      value: variable === undefined || variable.secret ? '' : variable.value,
      proposal: from === 'nowhere' && secret && isOwnSecret(key) ? 'generate' : '',
      copyable: variables.has(key) && !(secret && source.production),
      problem: problems.get(key) ?? '',
    })),
  };
}

/** Copied values that refer to what the target does not have, by key. */
async function problemsOf(
  kysely: Kysely<Tables>,
  { organizationId, environmentId, serviceId }: Promotion,
  settings: ServiceSettings | undefined,
  coming: readonly ComingVariable[],
): Promise<Map<string, string>> {
  if (settings === undefined) return new Map();
  const place = { organizationId, environmentId };
  const items = coming.flatMap(({ key, variable }) => {
    if (variable === undefined) return [];
    const refers = referencesOf(variable.value) ?? null;
    return [{ kind: 'variable.set' as const, service_id: serviceId, key, refers, build_time: variable.buildTime }];
  });
  const there = await appliedSettings(kysely, place);
  const [references] = await referencesWith(kysely, place, { settings: there.set(serviceId, settings), items });
  const own = references.dangling().filter(({ scope }) => scope === serviceId);
  return new Map(own.map(({ key, message }) => [key, message]));
}

async function isExcepted(kysely: Kysely<Tables>, { organizationId, serviceId }: Promotion): Promise<boolean> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('service')
    .select('skip_production_approval as skips')
    .where('id', '=', serviceId)
    .executeTakeFirst();
  return row?.skips === true;
}
