import { sql } from 'kysely';
import type { VariableValue } from '../../domain/change-sets/staging.ts';
import type { DeploymentKind } from '../../domain/deployments/states.ts';
import { writtenOf } from '../../domain/references/frozen.ts';
import { referencesOf } from '../../domain/references/names.ts';
import type { ServiceSettings } from '../../domain/services/settings.ts';
import type { BuildTime } from '../../domain/variables/build-time.ts';
import { appliedSettings, appliedVariables, variablePlace } from '../change-sets/applied.ts';
import type { Effect } from '../engine/effect.ts';
import { tenant } from '../postgres/tenant.ts';
import { following } from '../references/following.ts';
import type { StagedVariable } from '../references/referring.ts';
import { isOutgrown } from '../references/values.ts';
import { openReleaseSecrets } from '../releases/secrets.ts';
import { reviveProcesses } from '../services/processes.ts';
import { reviveMounted } from '../services/removal/left-volumes.ts';
import type { Secrets } from '../workloads/sealed-workload.ts';

/** The variables of the release as they were written, and those that are applied. */
interface Values {
  written: ReturnType<typeof writtenOf>;
  today: ReadonlyMap<string, VariableValue>;
}

interface Ref {
  id: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
}

/** Makes of the environment's settings what a deployment past its gate means for them: a redeployment changes none. */
export async function adoptSettings(
  effect: Effect,
  keyring: Secrets,
  kind: DeploymentKind,
  release: Ref,
): Promise<void> {
  if (kind === 'rollback') await restoreSettings(effect, keyring, release);
  else if (kind === 'promote' || kind === 'deploy') await adoptSource(effect, release);
}

/** The image of a promotion or a build stays that of the environment: what is applied later does not return to the one before. */
async function adoptSource(effect: Effect, { id, organizationId, projectId, environmentId, serviceId }: Ref) {
  const own = tenant(effect.kysely, organizationId);
  const { content, digest } = await own
    .selectFrom('release')
    .select(['content', 'content_digest as digest'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const source = JSON.stringify({ source: content.settings.source });
  await own
    .updateTable('environment_service')
    .set({ settings: sql`settings || ${source}::jsonb`, applied_digest: digest, outgrown: false })
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .execute();
  effect.change({ organizationId, projectId, kind: 'service', id: serviceId });
}

/**
 * Makes the settings and variables of a release those of its environment, so that the next change begins from what runs.
 * How many replicas run is of today: that is no part of what a rollback undoes.
 */
async function restoreSettings(effect: Effect, keyring: Secrets, release: Ref): Promise<void> {
  const { organizationId, projectId, environmentId, serviceId } = release;
  const own = tenant(effect.kysely, organizationId);
  const frozen = await own
    .selectFrom('release')
    .select(['content', 'sealed', 'content_digest as digest'])
    .where('id', '=', release.id)
    .executeTakeFirstOrThrow();
  const place = await own
    .selectFrom('environment_service')
    .select('settings')
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .forUpdate()
    .executeTakeFirst();
  const secrets = await openReleaseSecrets(keyring, { id: release.id, organizationId, sealed: frozen.sealed });
  const written = writtenOf(frozen.content, secrets);
  const settings = await reviveProcesses(effect, release, withReplicasOf(frozen.content.settings, place?.settings));
  const today =
    (await appliedVariables(effect.kysely, keyring, release, [release.serviceId])).get(release.serviceId) ?? new Map();
  const followers = await followersOf(effect, release, settings, { written, today });
  await own
    .updateTable('environment_service')
    .set({ settings, applied_digest: frozen.digest })
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .execute();
  await reviveMounted(effect, release);
  await replaceVariables(effect, keyring, release, { written, today });
  effect.change({ organizationId, projectId, kind: 'service', id: serviceId });
  const { content } = frozen;
  const itself = await isOutgrown(effect.kysely, keyring, {
    organizationId,
    environmentId,
    serviceId,
    content,
    secrets,
  });
  await own
    .updateTable('environment_service')
    .set({ outgrown: itself })
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .execute();
  if (followers.length === 0) return;
  // A rollback deploys one service: of those that follow, drift tells that other values are wanted now.
  await own
    .updateTable('environment_service')
    .set({ outgrown: true })
    .where('environment_id', '=', environmentId)
    .where('service_id', 'in', followers)
    .execute();
  for (const id of followers) effect.change({ organizationId, projectId, kind: 'service', id });
}

/** The other services whose variables lead to values that become others by it. */
async function followersOf(
  { kysely }: Effect,
  release: Ref,
  settings: ServiceSettings,
  { written, today }: Values,
): Promise<string[]> {
  const { serviceId } = release;
  const applied = await appliedSettings(kysely, release);
  const changed = [...new Set([...today.keys(), ...written.keys()])].filter(
    (key) => today.get(key)?.value !== written.get(key)?.value,
  );
  const items = changed.map((key): StagedVariable => {
    const one = written.get(key);
    const refers = (one?.read === true ? referencesOf(one.value) : undefined) ?? null;
    return { kind: one === undefined ? 'variable.unset' : 'variable.set', service_id: serviceId, key, refers };
  });
  const wanted = new Map([...applied, [serviceId, settings]]);
  const { services } = await following(kysely, release, { applied, wanted, items });
  return services.filter((id) => id !== serviceId);
}

export function withReplicasOf(settings: ServiceSettings, today: ServiceSettings | undefined): ServiceSettings {
  const processes = Object.entries(settings.processes).map(([id, process]) => {
    const wanted = today?.processes[id]?.replicas ?? process.replicas;
    // A volume that this release brings back belongs to one instance.
    const replicas = process.volumes === undefined ? wanted : Math.min(wanted, 1);
    return [id, { ...process, replicas }] as const;
  });
  return { ...settings, processes: Object.fromEntries(processes) };
}

async function replaceVariables(
  effect: Effect,
  keyring: Secrets,
  { organizationId, environmentId, serviceId }: Ref,
  { written, today }: Values,
): Promise<void> {
  const own = tenant(effect.kysely, organizationId);
  const keys = [...written.keys()];
  await own
    .deleteFrom('variable')
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .where('key', 'not in', keys.length > 0 ? keys : [''])
    // No release has those of builds alone, so that none says what they were.
    .where(sql<boolean>`build_time is distinct from 'only'`)
    .execute();
  const by = { environment_id: environmentId, service_id: serviceId, updated_by: effect.author.name };
  const rows = await Promise.all(
    [...written].map(async ([key, { value, secret, read }]) => {
      const refers = (read ? referencesOf(value) : undefined) ?? null;
      const of = { ...by, key, refers, build_time: buildTimeOf({ value, secret }, today.get(key)) };
      if (!secret) return { ...of, value, sealed: null };
      const at = variablePlace(environmentId, serviceId, key);
      return { ...of, value: '', sealed: await keyring.encryptSecret(organizationId, at, value) };
    }),
  );
  if (keys.length === 0) return;
  await own
    .insertInto('variable')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['environment_id', 'service_id', 'key']).doUpdateSet((given) => ({
        value: given.ref('excluded.value'),
        sealed: given.ref('excluded.sealed'),
        refers: given.ref('excluded.refers'),
        build_time: given.ref('excluded.build_time'),
        updated_by: given.ref('excluded.updated_by'),
        updated_at: sql<Date>`now()`,
      })),
    )
    .execute();
}

/** Builds see no secret that was not given for them: that is the one of now, and another one of before is not. */
function buildTimeOf(
  { value, secret }: Pick<VariableValue, 'value' | 'secret'>,
  today: VariableValue | undefined,
): BuildTime {
  if (today === undefined || today.buildTime === 'no') return 'no';
  return secret && !(today.secret && today.value === value) ? 'no' : 'also';
}
