import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { endAccountRecords } from '../../db/identity-provider/provider-accounts.ts';
import { sweepIdentity } from '../../db/sign-in/sweep-identity.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { recordsIn } from './adapter.ts';

const key = Buffer.alloc(32, 7);

const fresh = await freshDatabase();
const models = recordsIn({ kysely: fresh.database.kysely, key });
afterAll(() => fresh.drop());

async function expire(): Promise<void> {
  await fresh.database.kysely
    .updateTable('provider_record')
    .set({ expires_at: sql<Date>`now() - interval '1 second' - interval '1 second'` })
    .execute();
}

test('what is kept is found, by its id and by its uid, and by nothing else', async () => {
  const sessions = models('Session');
  await sessions.upsert('secret id', { uid: 'the uid', accountId: 'ada' }, 60);
  expect(await sessions.find('secret id')).toEqual({ uid: 'the uid', accountId: 'ada' });
  expect(await sessions.findByUid('the uid')).toEqual({ uid: 'the uid', accountId: 'ada' });
  expect(await sessions.find('the uid')).toBeUndefined();
  expect(await models('Grant').find('secret id')).toBeUndefined();
  await sessions.upsert('secret id', { uid: 'the uid', accountId: 'grace' }, 60);
  expect(await sessions.find('secret id')).toMatchObject({ accountId: 'grace' });
  await sessions.destroy('secret id');
  expect(await sessions.find('secret id')).toBeUndefined();
});

test('neither ids nor what is in a record can be read in the database', async () => {
  await models('AuthorizationCode').upsert('the code', { jti: 'the code', nonce: 'the nonce', grantId: 'a grant' }, 60);
  const rows = await fresh.database.kysely.selectFrom('provider_record').selectAll().execute();
  const seen = rows.map((row) => Object.values(row).map(String).join(' ')).join(' ');
  for (const secret of ['the code', 'the nonce', 'a grant']) expect(seen).not.toContain(secret);
});

test('a record that was moved to another place does not open', async () => {
  await models('Session').upsert('one', { accountId: 'ada' }, 60);
  await models('Session').upsert('two', { accountId: 'grace' }, 60);
  const { kysely } = fresh.database;
  await kysely
    .updateTable('provider_record')
    .set({
      payload: sql<Buffer>`(select payload from provider_record where account_id = 'grace' and model = 'Session')`,
    })
    .where('account_id', '=', 'ada')
    .execute();
  await expect(models('Session').find('one')).rejects.toThrow();
  expect(await models('Session').find('two')).toEqual({ accountId: 'grace' });
});

test('expired is what PostgreSQL says is expired, and the sweep takes it away', async () => {
  await models('Session').upsert('old', {}, 60);
  await expire();
  await models('Session').upsert('new', {}, 60);
  expect(await models('Session').find('old')).toBeUndefined();
  await sweepIdentity(fresh.database.kysely);
  expect(await fresh.database.kysely.selectFrom('provider_record').select('model').execute()).toHaveLength(1);
  expect(await models('Session').find('new')).toEqual({});
});

test('of two that use a code at the same moment, one comes too late', async () => {
  const codes = models('AuthorizationCode');
  await codes.upsert('code', { accountId: 'ada' }, 60);
  const used = await Promise.allSettled([codes.consume('code'), codes.consume('code')]);
  expect(used.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await codes.find('code')).toEqual({ accountId: 'ada', consumed: expect.any(Number) });
});

test('a grant that is revoked takes its codes with it, and those of others stay', async () => {
  const codes = models('AuthorizationCode');
  await codes.upsert('mine', { grantId: 'one' }, 60);
  await codes.upsert('yours', { grantId: 'two' }, 60);
  await codes.revokeByGrantId('one');
  expect(await codes.find('mine')).toBeUndefined();
  expect(await codes.find('yours')).toEqual({ grantId: 'two' });
});

test('the end of an account ends all that is its own, an interaction that it has just signed in by as well', async () => {
  await models('Session').upsert('s', { accountId: 'linus' }, 60);
  await models('Interaction').upsert('i', { result: { login: { accountId: 'linus' } } }, 60);
  await models('Interaction').upsert('j', { session: { accountId: 'linus', uid: 'u', cookie: 'c' } }, 60);
  await models('Session').upsert('other', { accountId: 'margaret' }, 60);
  expect(await endAccountRecords(fresh.database.kysely, 'linus')).toBe(3);
  expect(await models('Session').find('s')).toBeUndefined();
  expect(await models('Session').find('other')).toEqual({ accountId: 'margaret' });
});
