import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/postgres/database.ts';
import type { Tables } from '../../db/postgres/tables.ts';

const days = { organization: 92, cluster: 75, membership: 61, team: 41, api_token: 33, trusted_issuer: 20 };

/** Has what was just made been there for a while, as in an installation that people use. */
export async function letTimePass({ kysely }: Database): Promise<void> {
  for (const [table, age] of Object.entries(days)) {
    await sql`update ${sql.table(table)} set created_at = created_at - make_interval(days => ${age})`.execute(kysely);
  }
  await sql`update membership set last_active_at = now() - interval '19 hours' * age * age
    from (select user_id, row_number() over (order by created_at) - 1 as age from membership) as ordered
    where ordered.user_id = membership.user_id`.execute(kysely);
  await sql`update api_token set last_used_at = now() - interval '4 minutes' where name = 'Dashboards'`.execute(kysely);
  await spread(kysely);
}

/** Spreads actions and events over some hours; the update of the agent stays at the end. */
async function spread(kysely: Kysely<Tables>): Promise<void> {
  await sql`update audit_record set at = at - interval '5 hours' * age
    from (select id, row_number() over (order by at desc, id desc) - 1 as age from audit_record) as ordered
    where ordered.id = audit_record.id`.execute(kysely);
  await sql`update cluster_event set at = at - interval '6 days'
    where kind not like 'agent.update.%' and kind <> 'agent.lost'`.execute(kysely);
}
