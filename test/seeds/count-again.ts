import { type Kysely, sql } from 'kysely';
import { migrate } from '../../db/migrations/migrate.ts';
import type { Tables } from '../../db/postgres/tables.ts';

/** Counts deployments that were written past the arbiter, as the migration that made the counters did. */
export async function countAgain(kysely: Kysely<Tables>, url: string): Promise<void> {
  await sql`drop table deployment_day, deployment_durations`.execute(kysely);
  await sql`drop index deployment_project_page_index, deployment_state_page_index`.execute(kysely);
  await sql`delete from migration where name like '%_deployment_statistics'`.execute(kysely);
  await migrate(url, () => undefined);
}
