import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { machine, seedMember, seedOrganization } from '../../test/seeds/seed.ts';
import { createToken, listTokens, revokeToken } from '../api-tokens/api-tokens.ts';
import { deleteOrganization } from '../deletions/deletions.ts';
import { effect } from '../engine/effect.ts';
import { builtInProviderId } from '../keys/identity-secrets.ts';
import { hashSecret } from '../keys/secrets.ts';
import { bindIdentity } from '../sign-in/identities.ts';
import { createSession, endSession } from '../sign-in/sessions.ts';
import { sessionCredential, tokenCredential } from './credentials.ts';
import { LastUsed } from './last-used.ts';

let organizationId: string;
const fresh = await freshDatabase();
afterAll(() => fresh.drop());
beforeEach(async () => {
  organizationId = await seedOrganization(fresh.database);
});

function make(more: Partial<Parameters<typeof createToken>[1]> = {}) {
  return effect(fresh.database, machine, (effect) =>
    createToken(effect, { organizationId, name: 'ci', role: 'deployer', ...more }),
  );
}

async function hints(): Promise<unknown[]> {
  const { rows } = await sql`
    select kind, subject_id as id from change_feed where organization_id = ${organizationId} order by position
  `.execute(fresh.database.kysely);
  return rows;
}

test('a token is found by its public id, its secret only by hash', async () => {
  const { row, secret } = await make();
  const [prefix, tokenId, ...rest] = secret.split('_');
  expect(prefix).toBe('svc');
  expect(tokenId).toBe(row.tokenId);
  const found = await tokenCredential(fresh.database.kysely, row.tokenId);
  expect(found).toMatchObject({ id: row.id, role: 'deployer', valid: true, projectRestricted: false, projectIds: [] });
  expect(found?.organization.id).toBe(organizationId);
  expect(found?.secretHash.equals(hashSecret(rest.join('_')))).toBe(true);
  const { rows } = await sql<{ text: string }>`
    select (select string_agg(t::text, '') from api_token t) || (select string_agg(a::text, '') from audit_record a) as text
  `.execute(fresh.database.kysely);
  expect(rows[0]?.text).not.toContain(rest.join('_'));
  expect(await tokenCredential(fresh.database.kysely, 'unknown')).toBeUndefined();
});

test('a token of chosen projects names them, even when there are none', async () => {
  const projects = [uuid(), uuid()].sort();
  const some = await make({ projectIds: [...projects, ...projects] });
  expect(some.row).toMatchObject({ projectRestricted: true, projectIds: projects });
  const found = await tokenCredential(fresh.database.kysely, some.row.tokenId);
  expect(found?.projectIds.sort()).toEqual(projects);
  const none = await make({ projectIds: [] });
  expect(await tokenCredential(fresh.database.kysely, none.row.tokenId)).toMatchObject({
    projectRestricted: true,
    projectIds: [],
  });
});

test('revoked and expired tokens are not valid; a revocation is told to the streams once', async () => {
  const { row } = await make();
  const revoke = () => effect(fresh.database, machine, (effect) => revokeToken(effect, organizationId, row.id));
  expect(await revoke()).toEqual({ name: 'ci' });
  expect(await revoke()).toBeUndefined();
  expect(await tokenCredential(fresh.database.kysely, row.tokenId)).toMatchObject({ valid: false });
  expect(await hints()).toContainEqual({ kind: 'credential.revoked', id: row.id });
  const expired = await make({ expiresAt: new Date(Date.now() - 1_000) });
  expect(await tokenCredential(fresh.database.kysely, expired.row.tokenId)).toMatchObject({ valid: false });
  const other = await seedOrganization(fresh.database);
  const { row: mine } = await make();
  expect(await effect(fresh.database, machine, (effect) => revokeToken(effect, other, mine.id))).toBeUndefined();
});

test('tokens are listed newest first, page by page, of one organization', async () => {
  for (let n = 0; n < 5; n += 1) await make({ name: `${n}` });
  const all = await listTokens(fresh.database.kysely, organizationId, { limit: 10 });
  const first = await listTokens(fresh.database.kysely, organizationId, { limit: 3 });
  const rest = await listTokens(fresh.database.kysely, organizationId, { limit: 3, after: first.at(-1) });
  expect(all.map(({ name }) => name)).toHaveLength(5);
  expect([...first, ...rest]).toEqual(all);
});

test('a session knows its user and the memberships in organizations that are not deleted', async () => {
  const { database } = fresh;
  const userId = await seedMember(database, organizationId, 'admin');
  const second = await seedOrganization(database);
  await database.kysely
    .insertInto('membership')
    .values({ organization_id: second, user_id: userId, role: 'owner' })
    .execute();
  const { id, secret } = await effect(database, machine, (effect) =>
    createSession(effect, { userId, lifetimeSeconds: 3_600, idleSeconds: 600 }),
  );
  const read = () => sessionCredential(database.kysely, hashSecret(secret));
  expect(await read()).toMatchObject({
    id,
    user: { id: userId },
    memberships: [
      { organizationId, role: 'admin', requireMfa: false },
      { organizationId: second, role: 'owner' },
    ],
  });
  await effect(database, machine, (effect) => deleteOrganization(effect, second));
  expect((await read())?.memberships.map((membership) => membership.organizationId)).toEqual([organizationId]);
  await sql`update session set idle_expires_at = now() - interval '1 second' - interval '1 second' where id = ${id}`.execute(
    database.kysely,
  );
  expect(await read()).toBeUndefined();
  await sql`update session set idle_expires_at = null where id = ${id}`.execute(database.kysely);
  expect(await read()).toBeDefined();
  await sql`update app_user set disabled_at = now() where id = ${userId}`.execute(database.kysely);
  expect(await read()).toBeUndefined();
  await sql`update app_user set disabled_at = null where id = ${userId}`.execute(database.kysely);
  const end = () => effect(database, machine, (effect) => endSession(effect, id));
  expect(await end()).toBe(true);
  expect(await end()).toBe(false);
  expect(await read()).toBeUndefined();
  expect(await hints()).toContainEqual({ kind: 'credential.revoked', id });
  expect(await sessionCredential(database.kysely, Buffer.alloc(32))).toBeUndefined();
});

test('a second factor counts only as long as the account has one', async () => {
  const { database } = fresh;
  const userId = await seedMember(database, organizationId);
  const subject = uuid();
  await database.kysely
    .insertInto('provider_account')
    .values({ id: subject, name: 'Ada', email: `${subject}@x.org`, password_hash: 'x', totp_secret: Buffer.from('x') })
    .execute();
  const made = await effect(database, machine, async (effect) => {
    await bindIdentity(effect, { providerId: builtInProviderId, subject, userId });
    const session = { userId, lifetimeSeconds: 3_600, mfa: true };
    return {
      ours: await createSession(effect, { ...session, providerId: builtInProviderId }),
      theirs: await createSession(effect, { ...session, providerId: 'https://id.example.com' }),
    };
  });
  const mfa = async ({ secret }: { secret: string }) =>
    (await sessionCredential(database.kysely, hashSecret(secret)))?.mfa;
  expect([await mfa(made.ours), await mfa(made.theirs)]).toEqual([true, true]);
  await database.kysely.updateTable('provider_account').set({ totp_secret: null }).where('id', '=', subject).execute();
  expect([await mfa(made.ours), await mfa(made.theirs)]).toEqual([false, true]);
});

test('a session ends with its lifetime', async () => {
  const userId = await seedMember(fresh.database, organizationId);
  const { secret } = await effect(fresh.database, machine, (effect) =>
    createSession(effect, { userId, lifetimeSeconds: 0 }),
  );
  expect(await sessionCredential(fresh.database.kysely, hashSecret(secret))).toBeUndefined();
});

test('tokens of a deleted organization are not found', async () => {
  const { row } = await make();
  await effect(fresh.database, machine, (effect) => deleteOrganization(effect, organizationId));
  expect(await tokenCredential(fresh.database.kysely, row.tokenId)).toBeUndefined();
});

test('uses of tokens are gathered and written together', async () => {
  const one = await make();
  const two = await make();
  const used = new LastUsed(fresh.database);
  used.touch(one.row.id);
  used.touch(one.row.id);
  await used.write();
  const tokens = await listTokens(fresh.database.kysely, organizationId, { limit: 10 });
  expect(tokens.find(({ id }) => id === one.row.id)?.lastUsedAt).toBeInstanceOf(Date);
  expect(tokens.find(({ id }) => id === two.row.id)?.lastUsedAt).toBeNull();
  used.touch(two.row.id);
  await used.close();
  const after = await listTokens(fresh.database.kysely, organizationId, { limit: 10 });
  expect(after.find(({ id }) => id === two.row.id)?.lastUsedAt).toBeInstanceOf(Date);
});
