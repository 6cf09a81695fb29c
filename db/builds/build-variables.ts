import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { type BuildVariable, givenToBuild } from '../../domain/builds/variables.ts';
import { type Asking, type UnsetVariables, unsetVariables } from '../../domain/deployments/unset-variables.ts';
import type { References } from '../../domain/references/graph.ts';
import { canonical } from '../../domain/releases/canonical.ts';
import { isPublicByName } from '../../domain/variables/build-time.ts';
import { appliedSettings, withItems } from '../change-sets/applied.ts';
import { wantedVariables } from '../change-sets/apply/plan.ts';
import type { ItemRow } from '../change-sets/items.ts';
import { agentOf, type RollingAgent } from '../deployments/rolling.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import type { JsonValue } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { buildLeaks, leakWords } from '../references/build-leaks.ts';
import { referencesWith } from '../references/referring.ts';
import { frozenFor, lateValues, type ResolvedVariables, scopesFor } from '../references/values.ts';
import { appendLog } from './log.ts';

/** From these minors of the protocol on an agent gives variables to builds, and says which arguments a Dockerfile took. */
const variablesMinor = 6;
const argumentsMinor = 8;

export type BuildSecrets = Pick<Keyring, 'encryptSecret' | 'decryptSecret' | 'derivedSecret'>;

interface BuildTarget {
  organizationId: string;
  environmentId: string;
  serviceId: string;
  clusterId: string;
}

interface BuildVariables {
  variables: Record<string, string>;
  secrets: string[];
  masked: string[];
  /**
   * Plain ones of before builds were told apart: a Dockerfile that declares one by ARG is given it still, and it is said to be for builds
   * from then on.
   */
  arguments: Record<string, string>;
  /** A sentence for each that is left out. */
  left: string[];
}

const nothing: BuildVariables = { variables: {}, secrets: [], masked: [], arguments: {}, left: [] };

/** For the commands of a build: its log begins with what is left out, and its row knows by a digest what it was given. */
export async function variablesOfBuild(
  effect: Effect,
  keyring: BuildSecrets,
  build: BuildTarget & { id: string },
): Promise<Partial<BuildVariables>> {
  const { left, ...found } = await givenAt(effect, keyring, build);
  const agent = await agentOf(effect, build.clusterId);
  const given = fitting(found, agent);
  const old = given === undefined && Object.keys(found.variables).length > 0;
  await say(effect, keyring, build, old ? [tooOld(agent)] : left);
  const digest = await digestOf(keyring, build.organizationId, given?.variables ?? {});
  await effect.kysely.updateTable('build').set({ variables_digest: digest }).where('id', '=', build.id).execute();
  return given ?? {};
}

function fitting({ arguments: plain, ...given }: Omit<BuildVariables, 'left'>, agent: RollingAgent | undefined) {
  if (agent === undefined || agent.minor < variablesMinor) return undefined;
  return { ...given, ...(agent.minor < argumentsMinor || Object.keys(plain).length === 0 ? {} : { arguments: plain }) };
}

function tooOld(agent: RollingAgent | undefined): string {
  const update = `update it with \`./ballast cluster update --cluster ${agent?.clusterSlug}\`, then build again`;
  return `The agent of the cluster is too old to give variables to builds: ${update}.`;
}

/**
 * The variables that builds of a service see in an environment as they are applied, or once these items are, with references put in as
 * releases have them. One that leads nowhere, or to a secret that builds are not given, is left out: the build may not need it.
 */
export async function givenAt(
  effect: Effect,
  keyring: BuildSecrets,
  place: BuildTarget,
  items: readonly ItemRow[] = [],
): Promise<BuildVariables> {
  const { serviceId } = place;
  const settings = withItems(await appliedSettings(effect.kysely, place), items);
  const [references] = await referencesWith(effect.kysely, place, { settings, items });
  const values = await wantedVariables(effect.kysely, keyring, place, items, scopesFor(references, [serviceId]));
  const own = values.get(serviceId);
  if (own === undefined) return nothing;
  const left: string[] = [];
  const without = (key: string, why: string) => left.push(`${key} is not there in this build: ${why}.`);
  const frozen = frozenFor(references, values, [serviceId], { seenBy: 'builds', without }).get(serviceId);
  for (const leak of await buildLeaks(effect.kysely, place, references)) {
    if (leak.variable.scope === serviceId && frozen?.variables.delete(leak.variable.key) === true)
      left.push(`${leak.variable.key} is not there in this build: ${leakWords(references, leak)}`);
  }
  const { left: unfit, ...given } = givenToBuild(await withAddresses(effect, place, frozen));
  const publicNames = [...own].filter(([key, { secret, buildTime }]) => {
    return buildTime === 'no' && !secret && isPublicByName(key);
  });
  return {
    ...given,
    masked: maskedBy(references, values, serviceId, new Set(Object.keys(given.variables))),
    arguments: await fromBefore(effect, place, own),
    left: [
      ...left,
      ...unfit,
      ...publicNames.map(([key]) => `${key} is of run time alone: \`./ballast var set ${key}=… --build-time also\`.`),
    ],
  };
}

async function withAddresses(
  effect: Effect,
  { organizationId, environmentId, clusterId }: BuildTarget,
  { variables, reached }: ResolvedVariables = { variables: new Map(), reached: [] },
): Promise<Map<string, BuildVariable>> {
  const late = new Map(
    [...variables].flatMap(([key, { pieces }]) =>
      pieces.some((piece) => typeof piece !== 'string') ? [[key, pieces] as const] : [],
    ),
  );
  const docker = late.size > 0 && (await agentOf(effect, clusterId))?.facts?.driver === 'docker';
  const byId = Object.fromEntries(reached.map((one) => [one.id, one]));
  const cluster = { id: clusterId, organizationId };
  const addressed = await lateValues(effect, cluster, { environmentId, late, reached: byId, docker });
  return new Map(
    [...variables].map(([key, { pieces, secret }]) => [key, { value: addressed[key] ?? pieces.join(''), secret }]),
  );
}

/** The secrets that these variables are made of, besides those that they are. */
function maskedBy(
  references: References,
  values: Awaited<ReturnType<typeof wantedVariables>>,
  serviceId: string,
  given: ReadonlySet<string>,
): string[] {
  const from = references.ofBuilds(serviceId).filter(({ key }) => given.has(key));
  const found = references.reached(from).variables.flatMap(({ scope, key }) => {
    const value = values.get(scope)?.get(key);
    return value?.secret === true ? [value.value] : [];
  });
  return [...new Set(found)];
}

async function fromBefore(
  { kysely }: Effect,
  { organizationId, environmentId, serviceId }: BuildTarget,
  own: ReadonlyMap<string, { value: string; secret: boolean }>,
): Promise<Record<string, string>> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('variable')
    .select('key')
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .where('build_time', 'is', null)
    .where('sealed', 'is', null)
    .where('refers', 'is', null)
    .execute();
  const plain = new Map(rows.map(({ key }) => [key, { value: own.get(key)?.value ?? '', secret: false }]));
  return givenToBuild(plain).variables;
}

/** Keyed, so that nobody who reads the row can try values. */
export async function digestOf(
  keyring: BuildSecrets,
  organizationId: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const key = await keyring.derivedSecret(organizationId, 'variables of builds');
  return createHmac('sha256', key).update(canonical(variables)).digest('hex');
}

/** The first lines of its log: the agent's own come behind them. */
async function say(
  { kysely }: Effect,
  keyring: BuildSecrets,
  { id, organizationId }: BuildTarget & { id: string },
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const text = lines.map((line) => `${line.replaceAll(/\s+/g, ' ')}\n`).join('');
  const last = await appendLog(kysely, keyring, { id, organizationId }, 0, [{ text, at: new Date() }]);
  const begun = { log_lines: last, log_bytes: Buffer.byteLength(text) };
  await kysely.updateTable('build').set(begun).where('id', '=', id).execute();
}

interface Row {
  isLive: boolean;
  detection: JsonValue;
  set: string[];
}

/** The variables that the source of a deployment's image asks for, and that its release has not; undefined: none, or nobody knows. */
export async function unsetOf(
  kysely: Kysely<Tables>,
  { deploymentId, organizationId }: { deploymentId: string; organizationId: string },
): Promise<UnsetVariables | undefined> {
  const { rows } = await sql<Row>`
    select release.id <> deployment.release_id as "isLive", build.builder -> 'detection' as detection,
      release.variable_keys as set
    from deployment
    left join environment_service place on place.organization_id = ${organizationId}
      and place.environment_id = deployment.environment_id and place.service_id = deployment.service_id
    join release on release.organization_id = ${organizationId}
      and release.id in (deployment.release_id, place.live_release_id)
    join build on build.organization_id = ${organizationId} and build.id = release.build_id
    where deployment.organization_id = ${organizationId} and deployment.id = ${deploymentId}
  `.execute(kysely);
  const release = rows.find(({ isLive }) => !isLive);
  const live = rows.find(({ isLive }) => isLive);
  return release === undefined ? undefined : unsetVariables(asking(release), live && asking(live));
}

/** As the agent's report was parsed when it came; one of before says nothing of a template. */
function asking({ detection, set }: Row): Asking {
  const { envTemplate = '', requiredVariables = [] } = (detection ?? {}) as {
    envTemplate?: string;
    requiredVariables?: string[];
  };
  return { path: envTemplate, required: requiredVariables, set };
}
