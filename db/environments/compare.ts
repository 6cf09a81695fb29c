import { type Kysely, sql } from 'kysely';
import { type Compared, type Difference, differencesOf, variablesBetween } from '../../domain/environments/compare.ts';
import { appliedSettings, appliedVariables } from '../change-sets/applied.ts';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import type { EnvironmentRef } from './environments.ts';

export const comparisons = ['same', 'different', 'only-from', 'only-to'] as const;

export interface ComparedService {
  serviceId: string;
  slug: string;
  name: string;
  comparison: (typeof comparisons)[number];
  /** Of the live release; null where nothing is live. */
  fromRelease: number | null;
  toRelease: number | null;
  differences: Difference[];
}

interface Live {
  number: number;
  digest: string;
}

export interface Comparison {
  services: ComparedService[];
  /** The differences between the variables that the services of each share. */
  shared: Difference[];
}

/** The services of two environments of a project, as they were applied and as they are live, by name, and what they share. */
export async function compareEnvironments(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  from: EnvironmentRef,
  to: EnvironmentRef,
): Promise<Comparison> {
  const [before, after] = [await sideOf(kysely, keyring, from), await sideOf(kysely, keyring, to)];
  const names = await tenant(kysely, from.organizationId)
    .selectFrom('service')
    .select(['id', 'slug', 'name'])
    .where('project_id', '=', from.projectId)
    .where('deletion_id', 'is', null)
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute();
  const services = names.flatMap(({ id, slug, name }): ComparedService[] => {
    const one = before.services.get(id);
    const other = after.services.get(id);
    if (one === undefined && other === undefined) return [];
    const differences = one === undefined || other === undefined ? [] : differencesOf(one, other);
    const both = differences.length > 0 ? 'different' : 'same';
    return [
      {
        ...{ serviceId: id, slug, name },
        comparison: one === undefined ? 'only-to' : other === undefined ? 'only-from' : both,
        fromRelease: before.live.get(id)?.number ?? null,
        toRelease: after.live.get(id)?.number ?? null,
        differences,
      },
    ];
  });
  return { services, shared: variablesBetween(before.shared, after.shared) };
}

async function sideOf(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  { id, organizationId }: EnvironmentRef,
): Promise<{ services: Map<string, Compared>; shared: Compared['variables']; live: Map<string, Live> }> {
  const place = { organizationId, environmentId: id };
  const settings = await appliedSettings(kysely, place);
  const variables = await appliedVariables(kysely, keyring, place, ['', ...settings.keys()]);
  const releases = await tenant(kysely, organizationId)
    .selectFrom('environment_service')
    .innerJoin('release', 'release.id', 'environment_service.live_release_id')
    .where('environment_service.environment_id', '=', id)
    .select([
      'environment_service.service_id as serviceId',
      'release.number',
      sql<string>`coalesce(release.content #>> '{image,digest}', '')`.as('digest'),
    ])
    .execute();
  const live = new Map(releases.map(({ serviceId, number, digest }) => [serviceId, { number, digest }]));
  const services = new Map(
    [...settings].map(([serviceId, of]): [string, Compared] => [
      serviceId,
      { settings: of, variables: variables.get(serviceId) ?? new Map(), digest: live.get(serviceId)?.digest ?? '' },
    ]),
  );
  return { services, shared: variables.get('') ?? new Map(), live };
}
