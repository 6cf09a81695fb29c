import { errors, jwtVerify } from 'jose';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { OutboundRules } from '../../outbound/rules.ts';
import { receiver } from '../../test/ground/receiver.ts';
import { jobIssuer } from '../../test/identity/job-issuer.ts';
import { IssuerKeys } from './issuer-keys.ts';

const minute = 60_000;
let now: number;
let keys: IssuerKeys;
/** Requests of the issuer before the test. */
let before: number;

const issuer = await jobIssuer('ES256');
afterAll(() => issuer.close());
beforeEach(async () => {
  now = 0;
  keys = new IssuerKeys({ allowedRanges: ['127.0.0.0/8'] }, () => now);
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

test('an issuer with a certificate of an authority of ours is asked by https', async () => {
  const there = await receiver();
  try {
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer: there.url(), jwks_uri: there.url('/keys') },
      '/keys': { keys: [] },
    };
    there.otherwise(({ path }, response) => response.end(JSON.stringify(documents[path])));
    const asked = async (rules: OutboundRules) =>
      jwtVerify(await issuer.token({}), new IssuerKeys(rules).of(there.url()));
    await expect(asked(there.rules)).rejects.toThrow(errors.JWKSNoMatchingKey);
    expect(there.requests.map(({ path }) => path)).toContain('/keys');
    await expect(asked({ allowedRanges: there.rules.allowedRanges })).rejects.toThrow('could not be reached');
  } finally {
    await there.close();
  }
});
