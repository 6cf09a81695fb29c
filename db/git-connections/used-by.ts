import { type Kysely, sql } from 'kysely';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** Names of services whose source names the connection: as applied somewhere, as staged or held, or for environments to come. */
export async function servicesOfConnection(
  kysely: Kysely<Tables>,
  organizationId: string,
  connectionId: string,
): Promise<string[]> {
  const rows = await tenant(kysely, organizationId)
    .selectFrom('service')
    .select('name')
    .where('deletion_id', 'is', null)
    .where(({ or, exists, selectFrom }) =>
      or([
        sql<boolean>`service.definition->'source'->>'gitConnectionId' = ${connectionId}`,
        exists(
          selectFrom('environment_service')
            .select('environment_service.service_id')
            .whereRef('environment_service.service_id', '=', 'service.id')
            .where(sql<boolean>`environment_service.settings->'source'->>'gitConnectionId' = ${connectionId}`),
        ),
        exists(
          selectFrom('change_set_item')
            .leftJoin('change_set', 'change_set.id', 'change_set_item.change_set_id')
            .select('change_set_item.id')
            .whereRef('change_set_item.service_id', '=', 'service.id')
            .where('change_set_item.kind', 'in', ['service.create', 'service.set'])
            .where('change_set.finished_at', 'is', null)
            .where(sql<boolean>`change_set_item.to_value like ${`%"gitConnectionId":"${connectionId}"%`}`)
            // The source that a new service began with, where another one is staged by now, is nobody's.
            .where(
              sql<boolean>`(change_set_item.kind = 'service.set' or not exists (
                select from change_set_item as later
                where later.organization_id = change_set_item.organization_id
                  and later.change_set_id = change_set_item.change_set_id
                  and later.service_id = change_set_item.service_id
                  and later.kind = 'service.set' and later.key = 'source'
              ))`,
            ),
        ),
      ]),
    )
    .orderBy('name')
    .limit(6)
    .execute();
  return rows.map(({ name }) => name);
}
