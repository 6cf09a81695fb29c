import { jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type JobIssuer, jobIssuer } from '../../test/identity/job-issuer.ts';
import { IssuerKeys } from './issuer-keys.ts';

const minute = 60_000;
let issuer: JobIssuer;
let now: number;
let keys: IssuerKeys;
/** Requests of the issuer before the test. */
let before: number;

beforeAll(async () => {
  issuer = await jobIssuer('ES256');
});
afterAll(() => issuer.close());
beforeEach(async () => {
  now = 0;
  keys = new IssuerKeys(['127.0.0.0/8'], () => now);
  await issuer.rotate();
  before = await issuer.asked();
});

const verified = async (token?: string) => jwtVerify(token ?? (await issuer.token({})), keys.of(issuer.url));
/** How often document and keys were fetched. */
const fetches = async () => ((await issuer.asked()) - before) / 2;

test('they are fetched once for all who ask at once, and kept for ten minutes', async () => {
  await Promise.all([verified(), verified(), verified()]);
  now = 10 * minute - 1;
  await verified();
  expect(await fetches()).toBe(1);
  now = 10 * minute;
  await verified();
  expect(await fetches()).toBe(2);
});

test('a new key is looked for at once, then after a minute again', async () => {
  await verified();
  await issuer.rotate();
  await verified();
  expect(await fetches()).toBe(2);
  await issuer.rotate();
  now = minute - 1;
  await expect(verified()).rejects.toThrow('no applicable key found');
  expect(await fetches()).toBe(2);
  now = minute;
  await verified();
  expect(await fetches()).toBe(3);
});

test('what is known stays good while looking for a new key fails', async () => {
  const good = await issuer.token({});
  await verified(good);
  const unknown = await issuer.token({}, { kid: 'made up' });
  await issuer.behave({ status: 500 });
  await expect(verified(unknown)).rejects.toThrow('answered 500 instead of 200');
  await verified(good);
  await issuer.behave({});
});

test('a failure is not asked for again at once', async () => {
  await issuer.behave({ status: 500 });
  await expect(verified()).rejects.toThrow('answered 500');
  await issuer.behave({});
  now = 4_999;
  await expect(verified()).rejects.toThrow('answered 500');
  now = 5_000;
  await verified();
});
