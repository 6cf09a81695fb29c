import { sql } from 'kysely';
import type { VariableValue } from '../../../domain/change-sets/staging.ts';
import { writtenOf } from '../../../domain/references/frozen.ts';
import type { ReleaseContent } from '../../../domain/services/settings.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { openReleaseSecrets } from '../../releases/secrets.ts';
import { newValue } from '../apply/plan.ts';
import type { Stager } from '../staging.ts';
import type { AppliedSet } from './applied-set.ts';

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
