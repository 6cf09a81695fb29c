import { Problem } from '../../../domain/problems.ts';
import { digestOf, givenAt } from '../../builds/variables/build-variables.ts';
import type { ItemRow } from '../../change-sets/items.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import type { Seals } from '../../releases/compose.ts';

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
  keyring: Seals,
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
