import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization } from '../../test/seeds/seed.ts';
import { effect } from '../engine/effect.ts';
import { createSession, endSession } from '../sign-in/sessions.ts';
import { LastUsed } from './last-used.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

const idleEnd = async (id: string) => {
  const { rows } = await sql<{ left: number | null }>`
    select extract(epoch from idle_expires_at - now())::float8 as left from session where id = ${id}
  `.execute(fresh.database.kysely);
  return rows[0]?.left ?? undefined;
};

test('sessions and memberships that were used are written together, and nothing else is touched', async () => {
  const { database } = fresh;
  const [organizationId, other] = [await seedOrganization(database), await seedOrganization(database)];
  const userId = await seedMember(database, organizationId);
  await database.kysely
    .insertInto('membership')
    .values({ organization_id: other, user_id: userId, role: 'viewer' })
    .execute();
  const session = async (idleSeconds?: number) =>
    await effect(database, machine, (running) =>
      createSession(running, { userId, lifetimeSeconds: 3600, ...(idleSeconds === undefined ? {} : { idleSeconds }) }),
    );
  const [used, unused, ended, endless] = [await session(600), await session(600), await session(600), await session()];
  await sql`update session set idle_expires_at = now() - interval '1 second' + interval '200 seconds' where idle_seconds is not null`.execute(
    database.kysely,
  );
  await effect(database, machine, (running) => endSession(running, ended.id));
  const lastUsed = new LastUsed(database);
  for (const { id } of [used, ended, endless]) lastUsed.touchSession(id, false);
  lastUsed.touchMembership(organizationId, userId);
  expect(await idleEnd(used.id)).toBeLessThan(201);
  await lastUsed.write();
  expect(await idleEnd(used.id)).toBeGreaterThan(590);
  expect(await idleEnd(unused.id)).toBeLessThan(201);
  expect(await idleEnd(ended.id)).toBeLessThan(201);
  expect(await idleEnd(endless.id)).toBeUndefined();
  const memberships = await database.kysely
    .selectFrom('membership')
    .select(['organization_id as id', 'last_active_at as at'])
    .where('user_id', '=', userId)
    .execute();
  expect(new Map(memberships.map(({ id, at }) => [id, at instanceof Date]))).toEqual(
    new Map([
      [organizationId, true],
      [other, false],
    ]),
  );
  await lastUsed.close();
});
