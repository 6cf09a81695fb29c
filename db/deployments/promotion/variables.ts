import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { VariableValue } from '../../../domain/change-sets/staging.ts';
import { Problem } from '../../../domain/problems.ts';
import { digestOf, givenAt } from '../../builds/build-variables.ts';
import type { ItemRow } from '../../change-sets/items.ts';
import type { Effect } from '../../engine/effect.ts';
import type { Tables } from '../../postgres/tables.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { ReleaseKeys } from '../../releases/compose.ts';

interface ServiceInEnvironment {
  organizationId: string;
  environmentId: string;
  serviceId: string;
}

interface Lack {
  source: { number: number; environment: string };
  target: { service: string; environment: string };
  /** Variables that the release has, and for which the target has no value. */
  missing: readonly string[];
  /** Variables of which its files are made there. */
  files: readonly string[];
  missingAccepted: boolean;
}

/**
 * Refuses a target without a value for what the release has, unless somebody accepts it. Nothing says of a variable that it is optional,
 * so each counts until a promotion without it went live; one of which a file is made always does. Answers those that were accepted.
 */
export async function refuseMissing(
  kysely: Kysely<Tables>,
  place: ServiceInEnvironment,
  { source, target, missing, files, missingAccepted }: Lack,
): Promise<string[]> {
  const where = `"${target.service}" in "${target.environment}" has no`;
  const how = 'give it with the promotion, or set it there and apply that';
  const required = missing.filter((key) => files.includes(key));
  if (required.length > 0) {
    const why = `${where} ${missingWords(required)}, of which its files are made`;
    throw new Problem('variables-missing', `${why}: ${how}.`);
  }
  const known = missing.length === 0 ? new Set() : await knownAbsent(kysely, place);
  const unknown = missing.filter((key) => !known.has(key)).toSorted();
  if (unknown.length === 0 || missingAccepted) return unknown;
  const why = `${where} ${missingWords(unknown)}, as release #${source.number} has in "${source.environment}"`;
  throw new Problem('variables-missing', `${why}: ${how}, or accept that it is missing.`, { missing: unknown });
}

/** Variables that releases had which were promoted and served here without them. */
async function knownAbsent(
  kysely: Kysely<Tables>,
  { organizationId, environmentId, serviceId }: ServiceInEnvironment,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ key: string }>`
    select distinct key from release past
    join release origin on origin.organization_id = past.organization_id and origin.id = past.promoted_from_release_id
    cross join unnest(origin.variable_keys) as its (key)
    where past.organization_id = ${organizationId} and past.environment_id = ${environmentId}
      and past.service_id = ${serviceId} and not key = any(past.variable_keys)
      and exists (select from deployment where deployment.organization_id = past.organization_id
        and deployment.release_id = past.id and deployment.state = 'live')
  `.execute(kysely);
  return new Set(rows.map(({ key }) => key));
}

/** `variable A`, `variables A and B`. */
function missingWords(keys: readonly string[]): string {
  const list = new Intl.ListFormat('en', { type: 'conjunction' }).format(keys);
  return `${keys.length === 1 ? 'variable' : 'variables'} ${list}`;
}

/** A value that somebody gives with a promotion; one of `value`, `generate` and `copy`. */
export interface GivenVariable {
  key: string;
  value?: string | undefined;
  /** By default that of a generated one is. */
  secret?: boolean | undefined;
  /** Ballast makes one that nobody has seen. */
  generate?: boolean | undefined;
  /** The value of the environment that it comes from, secret ones too. */
  copy?: boolean | undefined;
}

/** A variable of the release, and how the target comes by its value. */
export interface ComingVariable {
  key: string;
  /** Absent where its value has to be given. */
  variable?: VariableValue;
  secret: boolean;
  /** `there`: the target has it, applied or staged. */
  from: 'given' | 'copied' | 'there' | 'nowhere';
}

interface Origin {
  /** The name of the environment. */
  environment: string;
  production: boolean;
  /** As they are applied where the release serves. */
  variables: ReadonlyMap<string, VariableValue>;
  /** The keys of the release: some may have been unset since. */
  keys: readonly string[];
}

interface Destination {
  /** The target lacks the service. */
  adds: boolean;
  /** Its own variables, applied or staged. */
  variables: ReadonlyMap<string, Pick<VariableValue, 'secret'>>;
}

/**
 * The variables that a service gets in a target. One that lacks it gets plain ones as they are, and a secret only where its value is given,
 * generated, or expressly copied; one that has it gets what is given, and nothing by itself. Secrets of production are never copied out of
 * it, and what is secret on either side stays so.
 */
export function comingVariables(
  origin: Origin,
  { adds, variables }: Destination,
  given: readonly GivenVariable[],
): ComingVariable[] {
  const wishes = new Map(given.map((one, index) => [one.key, { ...one, index }]));
  const keys = new Set([...(adds ? origin.variables.keys() : []), ...origin.keys, ...wishes.keys()]);
  return [...keys].toSorted().map((key) => {
    const [there, here, wish] = [origin.variables.get(key), variables.get(key), wishes.get(key)];
    const secret = there?.secret === true || here?.secret === true;
    if (wish !== undefined) {
      const variable = givenValue(origin, wish, there);
      return { key, variable: { ...variable, secret: variable.secret || secret }, secret, from: 'given' };
    }
    if (here !== undefined) return { key, secret, from: 'there' };
    if (!adds || there === undefined || secret) return { key, secret, from: 'nowhere' };
    return { key, variable: there, secret, from: 'copied' };
  });
}

/** 48 bytes, in signs that stand in addresses and shells as they are. */
const generated = (): string => randomBytes(48).toString('base64url');

function givenValue(
  { environment, production }: Origin,
  { key, value, secret, generate, copy, index }: GivenVariable & { index: number },
  there: VariableValue | undefined,
): VariableValue {
  const buildTime = there?.buildTime ?? 'no';
  if (generate === true) return { value: generated(), secret: secret ?? true, buildTime };
  if (copy !== true) return { value: value ?? '', secret: secret === true, buildTime };
  const refuse = (message: string) =>
    new Problem('invalid-field', `The variable ${key} ${message}.`, {
      errors: [{ location: `body.variables[${index}].copy`, message, value: true }],
    });
  if (there === undefined) throw refuse(`has no value in "${environment}": give one`);
  if (there.secret && production) throw refuse(`is a secret of production, and none of these is copied: give one`);
  return there;
}

/** The release that is to be promoted. */
interface Built {
  number: number;
  buildId: string | null;
  gitCommitSha: string | null;
  environment: string;
}

/**
 * Refuses an image that was built here with other variables than the target gives to builds: those of the other environment are in it, and
 * no setting of the target takes them out. Of images of before builds were told apart it is not known what they were given.
 */
export async function refuseOtherBuildValues(
  effect: Effect,
  keyring: ReleaseKeys,
  { organizationId, environmentId, serviceId }: Record<'organizationId' | 'environmentId' | 'serviceId', string>,
  { buildId, gitCommitSha, number, environment: from }: Built,
  { service, environment }: { service: string; environment: string },
  /** Changes that go along. */
  items: readonly ItemRow[] = [],
): Promise<void> {
  if (buildId === null) return;
  const own = tenant(effect.kysely, organizationId);
  const build = await own
    .selectFrom('build')
    .select('variables_digest as digest')
    .where('id', '=', buildId)
    .executeTakeFirst();
  const target = await own
    .selectFrom('environment')
    .select(['cluster_id as clusterId', 'slug'])
    .where('id', '=', environmentId)
    .executeTakeFirst();
  const place = { organizationId, environmentId, serviceId, clusterId: target?.clusterId ?? '' };
  const variables = target?.clusterId == null ? {} : (await givenAt(effect, keyring, place, items)).variables;
  const names = Object.keys(variables);
  const digest = build?.digest ?? null;
  const isSame = digest === null ? names.length === 0 : digest === (await digestOf(keyring, organizationId, variables));
  if (isSame) return;
  const gives = names.length === 0 ? 'none' : `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' and more' : ''}`;
  const named = `--environment ${target?.slug ?? environmentId}`;
  const how =
    gitCommitSha === null
      ? `\`./ballast deploy FOLDER ${named}\` builds the folder`
      : `\`./ballast build create ${named} --commit ${gitCommitSha}\` builds its commit`;
  throw new Problem(
    'build-values-differ',
    `Release #${number} of "${service}" was built with the variables that "${from}" gives to builds, and "${environment}" gives others (${gives}). ${how} there.`,
  );
}
