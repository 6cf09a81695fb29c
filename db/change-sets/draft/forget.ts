import { sql } from 'kysely';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { removeVolumesOf } from '../../services/volumes.ts';

/** Whatever has a row of a service keeps it. */
const usedBy = ['environment_service', 'change_set_item', 'release', 'build', 'build_source'] as const;

/**
 * Deletes those of these services that no environment has or had, no draft or held change set adds, and of which nothing was
 * built or uploaded: what was never applied leaves nothing to restore. And those of these processes that no environment has and no draft or held change set
 * names.
 */
export async function forgetUnused(
  effect: Effect,
  organizationId: string,
  { serviceIds, processIds }: { serviceIds: readonly string[]; processIds: readonly string[] },
): Promise<void> {
  const own = tenant(effect.kysely, organizationId);
  if (serviceIds.length > 0) {
    const deleted = await own
      .deleteFrom('service')
      .where('id', 'in', serviceIds)
      .where(({ and, not, exists, selectFrom }) =>
        and(
          usedBy.map((table) =>
            not(exists(selectFrom(table).whereRef('service_id', '=', 'service.id').select(sql.lit(1).as('x')))),
          ),
        ),
      )
      .returning(['id', 'project_id'])
      .execute();
    for (const { id, project_id: projectId } of deleted) {
      effect.change({ organizationId, kind: 'service', id, projectId });
    }
  }
  if (processIds.length === 0) return;
  await own
    .deleteFrom('service_process')
    .where('id', 'in', processIds)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('environment_service')
            .whereRef('environment_service.service_id', '=', 'service_process.service_id')
            .where(sql<boolean>`environment_service.settings -> 'processes' ? service_process.id::text`)
            .select(sql.lit(1).as('x')),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('change_set_item')
            .leftJoin('change_set', 'change_set.id', 'change_set_item.change_set_id')
            .whereRef('change_set_item.service_id', '=', 'service_process.service_id')
            // Adding the service adds the processes that it had when that was staged, too.
            .where(
              sql<boolean>`case when change_set_item.kind = 'service.create'
                then change_set_item.to_value::jsonb -> 'processes' ? service_process.id::text
                else change_set_item.process_id = service_process.id end`,
            )
            // Of a draft, or held; others are past.
            .where(({ eb, or }) => or([eb('change_set.id', 'is', null), eb('change_set.state', '=', 'held')]))
            .select(sql.lit(1).as('x')),
        ),
      ),
    )
    // The service's last process is its default one: whoever adds the service to an environment finds it there.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('service_process as other')
          .whereRef('other.service_id', '=', 'service_process.service_id')
          .whereRef('other.id', '<>', 'service_process.id')
          .select(sql.lit(1).as('x')),
      ),
    )
    .execute();
  await removeVolumesOf(effect, organizationId, processIds);
}
