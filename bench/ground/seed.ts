import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { createToken } from '../../db/api-tokens/api-tokens.ts';
import { type Author, type Effect, effect } from '../../db/engine/effect.ts';
import { createOrganization } from '../../db/organizations/organizations.ts';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { createTeam, setTeamMembers } from '../../db/teams/teams.ts';

const author: Author = { kind: 'machine', id: 'bench', name: 'bench' };

export function asBench<T>(database: Database, work: (effect: Effect) => Promise<T>): Promise<T> {
  return effect(database, author, work);
}

export interface SeededReads {
  organizationId: string;
  token: string;
  /** They take turns with it. */
  others?: string[];
}

/** An organization with a viewer's token and 60 teams of four members: a page of 50, and some left over. */
export async function seedTeams(database: Database): Promise<SeededReads> {
  return asBench(database, async (running) => {
    const { id: organizationId } = await createOrganization(running, { name: 'Acme', slug: 'acme' });
    const userIds = await seedMembers(running, organizationId, 10);
    for (let team = 0; team < 60; team += 1) {
      const { id } = await createTeam(running, organizationId, `Team ${team}`);
      const members = [0, 1, 2, 3].map((offset) => userIds[(team + offset) % userIds.length] ?? '');
      await setTeamMembers(running, organizationId, id, members);
    }
    const [token = ''] = await seedTokens(running, organizationId, 1);
    return { organizationId, token };
  });
}

/** A service that has no image yet, and the token of who may push one. */
export async function seedService(database: Database, organizationId: string) {
  const own = tenant(database.kysely, organizationId);
  const [projectId, serviceId] = [uuid(), uuid()];
  await own.insertInto('project').values({ id: projectId, name: 'Shop', slug: 'shop' }).execute();
  await own
    .insertInto('service')
    .values({ id: serviceId, project_id: projectId, name: 'Web', slug: 'web', definition: sql`'{}'::jsonb` })
    .execute();
  const { secret } = await asBench(database, (running) =>
    createToken(running, { organizationId, name: 'deployer', role: 'deployer' }),
  );
  return { serviceId, secret };
}

export async function seedMembers(running: Effect, organizationId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuid());
  await running.kysely
    .insertInto('app_user')
    .values(ids.map((id, index) => ({ id, name: `Person ${index}`, email: `person-${index}@example.com` })))
    .execute();
  await tenant(running.kysely, organizationId)
    .insertInto('membership')
    .values(ids.map((id) => ({ user_id: id, role: 'viewer' as const })))
    .execute();
  return ids;
}

/** 1,000 members, and 200 clusters with ten workloads each. One token may search 240 times a minute, so there are many. */
export async function seedThings(database: Database): Promise<SeededReads> {
  const seeded = await asBench(database, async (running) => {
    const { id: organizationId } = await createOrganization(running, { name: 'Acme', slug: 'acme' });
    await seedMembers(running, organizationId, 1_000);
    const [token = '', ...others] = await seedTokens(running, organizationId, 400);
    return { organizationId, token, others };
  });
  const { kysely } = database;
  const { organizationId } = seeded;
  await sql`
    insert into cluster (id, organization_id, name, slug, state)
    select gen_random_uuid(), ${organizationId}, 'Cluster ' || number, 'cluster-' || number, 'ready'
    from generate_series(1, 200) as number`.execute(kysely);
  await sql`
    insert into cluster_agent (cluster_id, organization_id, contact, last_heartbeat_at)
    select id, organization_id, 'connected', now() from cluster where organization_id = ${organizationId}`.execute(
    kysely,
  );
  await sql`
    insert into cluster_slice (cluster_id, key, organization_id, name, revision, workload)
    select id, 'workload/' || service, organization_id, service || right(name, 2), 1, '{}'
    from cluster, unnest(array['billing', 'shop', 'mailer', 'search', 'login', 'api', 'jobs', 'cache', 'proxy', 'docs']) as service
    where organization_id = ${organizationId}`.execute(kysely);
  await sql`analyze`.execute(kysely);
  return seeded;
}

export async function seedTokens(running: Effect, organizationId: string, count: number): Promise<string[]> {
  const secrets: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const made = await createToken(running, { organizationId, name: `token ${number}`, role: 'viewer' });
    secrets.push(made.secret);
  }
  return secrets;
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}
