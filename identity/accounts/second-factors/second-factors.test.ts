import { afterAll, expect, test } from 'vitest';
import { effect } from '../../../db/engine/effect.ts';
import { freshDatabase } from '../../../test/ground/fresh-database.ts';
import { totpOf } from '../../../test/identity/totp.ts';
import { machine } from '../../../test/seeds/seed.ts';
import { findAccount } from '../account.ts';
import { createAccount } from '../create-account.ts';
import { countGuess } from '../passwords/guesses.ts';
import { knownBrowser, knownBrowserCookie } from '../passwords/known-browser.ts';
import { keepPending, readPending, takePending } from '../pending.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import { addAuthenticatorApp, addPasskey, removeAuthenticatorApp, removePasskey } from './second-factors.ts';
import { newTotpSecret, useTotpCode } from './totp.ts';

const key = Buffer.alloc(32, 7);
let counter = 0;

const fresh = await freshDatabase();
afterAll(() => fresh.drop());

async function account(): Promise<string> {
  const person = { name: 'Ada', email: `ada${++counter}@example.com`, passwordHash: 'scrypt$1$1$1$$' };
  return (await effect(fresh.database, machine, (effect) => createAccount(effect, person))).id;
}

async function withApp(secret = newTotpSecret()) {
  const id = await account();
  const [before, code, next] = [totpOf(secret, -1), totpOf(secret), totpOf(secret, 1)];
  const { recoveryCodes = [] } = await effect(fresh.database, machine, (effect) =>
    addAuthenticatorApp(effect, key, id, { secret, code }),
  );
  return { id, secret, recoveryCodes, before, code, next };
}

const truths = (answers: boolean[]) => answers.filter((answer) => answer).length;

test('a code of the app is good once, for the account it belongs to, and near its time', async () => {
  const { kysely } = fresh.database;
  const { id, secret, before, code, next } = await withApp();
  const other = await withApp();
  const use = (code: string, accountId = id) => useTotpCode(kysely, key, accountId, code);
  expect(await use(code)).toBe(false);
  expect(await use(totpOf(secret, 3))).toBe(false);
  expect(await use('')).toBe(false);
  expect(await use(next, other.id)).toBe(false);
  const spaced = `${next.slice(0, 3)} ${next.slice(3)}`;
  expect(truths(await Promise.all(Array.from({ length: 8 }, () => use(spaced))))).toBe(1);
  expect(await use(next)).toBe(false);
  // An earlier one, though never used, is not taken any more.
  expect(await use(before)).toBe(false);
});

test('after fifty wrong codes in a row no code is taken, until a recovery code shows that it is the person', async () => {
  const { kysely } = fresh.database;
  const { id, next, recoveryCodes } = await withApp();
  const use = (code: string) => useTotpCode(kysely, key, id, code);
  for (let guess = 0; guess < 50; guess += 1) expect(await use('')).toBe(false);
  await expect(use(next)).rejects.toThrow('There were too many wrong codes');
  expect(await useRecoveryCode(kysely, id, recoveryCodes[0] ?? '')).toBe(true);
  expect(await use(next)).toBe(true);
});

test('the secret of the app is sealed to its account', async () => {
  const { kysely } = fresh.database;
  const { id, secret } = await withApp();
  const thief = await withApp();
  const { totp_secret: sealed } = await kysely
    .selectFrom('provider_account')
    .select('totp_secret')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(sealed?.includes(secret)).toBe(false);
  await kysely.updateTable('provider_account').set({ totp_secret: sealed }).where('id', '=', thief.id).execute();
  await expect(useTotpCode(kysely, key, thief.id, totpOf(secret))).rejects.toThrow();
});

test('a recovery code is good once, for its account, however it is written', async () => {
  const { kysely } = fresh.database;
  const { id, recoveryCodes } = await withApp();
  const other = await withApp();
  const [first = '', second = ''] = recoveryCodes;
  expect(new Set(recoveryCodes).size).toBe(8);
  expect(await useRecoveryCode(kysely, other.id, first)).toBe(false);
  const uses = Array.from({ length: 8 }, () => useRecoveryCode(kysely, id, first));
  expect(truths(await Promise.all(uses))).toBe(1);
  expect(await useRecoveryCode(kysely, id, ` ${second.toUpperCase().replaceAll('-', '')} `)).toBe(true);
  expect(await findAccount(kysely, id)).toMatchObject({ recoveryCodes: 6 });
  const { rows } = { rows: await kysely.selectFrom('provider_recovery_code').select('code_hash').execute() };
  expect(rows.some((row) => row.code_hash.includes(first))).toBe(false);
});

test('recovery codes come with the first second factor, and go with the last', async () => {
  const { kysely } = fresh.database;
  const { id } = await withApp();
  const passkey = { id: `key-${id}`, publicKey: Buffer.from('key'), counter: 0, transports: [] };
  const added = await effect(fresh.database, machine, (effect) => addPasskey(effect, id, passkey, 'Phone'));
  expect(added).toEqual({});
  const thief = await account();
  await expect(
    effect(fresh.database, machine, (effect) => addPasskey(effect, thief, passkey, 'Phone')),
  ).rejects.toThrow('registered already');
  await effect(fresh.database, machine, (effect) => removePasskey(effect, thief, passkey.id));
  await effect(fresh.database, machine, (effect) => removeAuthenticatorApp(effect, id));
  expect(await findAccount(kysely, id)).toMatchObject({ hasAuthenticatorApp: false, passkeys: 1, recoveryCodes: 8 });
  await effect(fresh.database, machine, (effect) => removePasskey(effect, id, passkey.id));
  expect(await findAccount(kysely, id)).toMatchObject({ passkeys: 0, recoveryCodes: 0 });
  const said = await kysely.selectFrom('audit_record').select('action').where('subject_id', '=', id).execute();
  expect(said.map(({ action }) => action).sort()).toEqual([
    'account.created',
    'account.second_factor_added',
    'account.second_factor_added',
    'account.second_factor_removed',
    'account.second_factor_removed',
  ]);
});

const refusedOf = async (guesses: Promise<void>[]) =>
  (await Promise.allSettled(guesses)).filter(({ status }) => status === 'rejected');

test('ten guesses a minute for an account, known or not, from one address; of IPv6 from one network', async () => {
  const guesses = Array.from({ length: 21 }, async (_, index) =>
    countGuess(fresh.database.kysely, { email: index % 2 ? 'Eve@x.org' : 'eve@x.org', address: `2001:db8::${index}` }),
  );
  const refused = await refusedOf(guesses);
  // A minute may end in between.
  expect([1, 11]).toContain(refused.length);
  expect(String(Object(refused[0]).reason)).toMatch(/too many attempts; try again in \d+ second/);
});

test('strangers who guess lock out neither another address nor a browser that is known', async () => {
  const email = 'owner@x.org';
  await refusedOf(
    Array.from({ length: 40 }, async () => countGuess(fresh.database.kysely, { email, address: '10.8.8.8' })),
  );
  await countGuess(fresh.database.kysely, { email, address: '10.7.7.7' });
  // From very many addresses at once they are bounded together; whoever has signed in before goes on, even beside them.
  const many = Array.from({ length: 400 }, async (_, index) =>
    countGuess(fresh.database.kysely, { email, address: `10.6.${index % 200}.1` }),
  );
  expect((await refusedOf(many)).length).toBeGreaterThan(100);
  const cookie = knownBrowserCookie(key, email, { secure: false }).split(';')[0];
  const browser = knownBrowser(key, `a=b; ${cookie}`, 'Owner@X.org');
  expect(browser).toBeDefined();
  await countGuess(fresh.database.kysely, { email, address: '10.8.8.8', browser });
  expect(knownBrowser(key, cookie, 'eve@x.org')).toBeUndefined();
  expect(knownBrowser(key, `${cookie}x`, email)).toBeUndefined();
});

test('thirty guesses a minute from one address, for whomever', async () => {
  const guesses = Array.from({ length: 61 }, async (_, index) =>
    countGuess(fresh.database.kysely, { email: `e${index}@x.org`, address: '10.9.9.9' }),
  );
  const refused = (await Promise.allSettled(guesses)).filter(({ status }) => status === 'rejected');
  expect([1, 31]).toContain(refused.length);
});

test('what is pending is kept under its id, until its time is over or it is taken', async () => {
  const { kysely } = fresh.database;
  const keep = (id: string, seconds: number) =>
    keepPending(kysely, key, { id, accountId: null, value: { id }, seconds });
  await keep('a', 60);
  await keep('b', -1);
  expect(await readPending(kysely, key, 'a')).toEqual({ id: 'a' });
  expect(await readPending(kysely, key, 'b')).toBeUndefined();
  expect(await takePending(kysely, key, 'b')).toBeUndefined();
  const taken = await Promise.all(Array.from({ length: 6 }, () => takePending(kysely, key, 'a')));
  expect(taken.filter((value) => value !== undefined)).toEqual([{ id: 'a' }]);
});
