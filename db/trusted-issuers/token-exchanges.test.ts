import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { effect } from '../engine/effect.ts';
import { noteRuleUsed } from './token-exchanges.ts';
import { createTrustedIssuer, findTrustedIssuer } from './trusted-issuers.ts';

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

async function rule(organizationId: string, name: string) {
  const made = await effect(fresh.database, machine, (effect) =>
    createTrustedIssuer(effect, organizationId, {
      name,
      issuer: 'https://ci.example.com',
      audience: 'ballast',
      claims: { sub: ['x'] },
      role: 'viewer',
      projectIds: null,
      tokenLifetimeSeconds: 60,
    }),
  );
  return { ...made, organizationId };
}

test('the use of a rule is noted at that rule, not at others that were used before, of any organization', async () => {
  const { database } = fresh;
  const used = await rule(await seedOrganization(database), 'used');
  const beside = await rule(used.organizationId, 'beside');
  const stranger = await rule(await seedOrganization(database), 'stranger');
  await sql`update trusted_issuer set last_used_at = '2020-01-01Z'`.execute(database.kysely);
  await effect(database, machine, (effect) => noteRuleUsed(effect, used));
  const lastUse = async ({ organizationId, id }: typeof used) =>
    (await findTrustedIssuer(database.kysely, organizationId, id))?.lastUsedAt?.getUTCFullYear();
  expect(await lastUse(beside)).toBe(2020);
  expect(await lastUse(stranger)).toBe(2020);
  expect(await lastUse(used)).toBeGreaterThan(2020);
});
