import { createHmac } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import {
  audience,
  credentialOf,
  exchangedOf,
  expectRefused,
  github,
  jobExchange,
  stranger,
} from '../../test/identity/job-exchange.ts';

const jobs = await jobExchange();
const { api, issuer, spare, trust, exchange, job, teams } = jobs;
afterAll(() => jobs.close());

describe('403 for', () => {
  test('an organization that does not exist, one without the rule, and a broken signature: one sentence', async () => {
    const other = await api.organization();
    const token = await job();
    const [head, body, signature = ''] = token.split('.');
    const broken = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expectRefused(await exchange(token, 'no-such-organization'), stranger);
    expectRefused(await exchange(token, crypto.randomUUID()), stranger);
    expectRefused(await exchange(token, other.slug), stranger);
    expectRefused(await exchange(broken), stranger);
    // None of that used the token up.
    exchangedOf(await exchange(token));
  });

  test('an issuer that no rule names: it is not even asked', async () => {
    const before = await spare.asked();
    expectRefused(await exchange(await spare.token({ aud: audience, ...github })), stranger);
    expectRefused(await exchange(await job({ iss: `${issuer.url}/` })), stranger);
    expectRefused(await exchange(await job({ iss: 'x\u0000y' })), stranger);
    expectRefused(await exchange(await job({ iss: undefined })), stranger);
    expect(await spare.asked()).toBe(before);
  });

  test('a token of another issuer that says it is from a trusted one', async () => {
    const foreign = await spare.token({ iss: issuer.url, aud: audience, ...github });
    expectRefused(await exchange(foreign), stranger);
    const sameKid = await spare.token(
      { iss: issuer.url, aud: audience, ...github },
      { kid: String(issuer.publicKey().kid) },
    );
    expectRefused(await exchange(sameKid), stranger);
  });

  test.each([
    [
      'another audience',
      { aud: 'https://other.example.com' },
      /"deploy 1" wants another audience than "https:\/\/other/,
    ],
    ['no audience', { aud: undefined }, /wants another audience than none/],
    ['another claim', { repository: 'evil/app' }, /the rule "deploy 1" wants another "repository" than "evil\/app"/],
    ['a missing claim', { ref: undefined }, /wants another "ref" than none/],
    ['control characters in a claim', { ref: 'a\u0000\nb' }, /wants another "ref" than "a\ufffd\ufffdb"/],
  ])('%s, and says which', async (_, claims, detail) => {
    expectRefused(await exchange(await job(claims)), detail);
  });

  const now = Math.floor(Date.now() / 1000);
  test.each([
    ['is over', { exp: now - 90 }, /has expired/],
    ['has no end', { exp: undefined }, /has no "exp"/],
    ['has no beginning', { iat: undefined }, /has no "iat"/],
    ['is from the future', { iat: now + 300 }, /from the future/],
    ['is not good yet', { nbf: now + 300 }, /from the future/],
    ['is days old, whatever it says of its end', { iat: now - 100_000, exp: now + 1e9 }, /more than a day old/],
    ['has times that are none', { exp: 'tomorrow' }, /not trusted here/],
  ])('a token that %s', async (_, claims, detail) => {
    expectRefused(await exchange(await job(claims)), detail);
  });

  test('no minute of difference between clocks', async () => {
    // Not when the file was loaded: on a busy machine more than a minute may have passed since.
    const present = Math.floor(Date.now() / 1_000);
    exchangedOf(await exchange(await job({ iat: present + 30, nbf: present + 30, exp: present - 20 })));
  });

  test('a token without a signature', async () => {
    const [, body] = (await job()).split('.');
    const head = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    expectRefused(await exchange(`${head}.${body}.`), /algorithm that is not accepted/);
  });

  test('a token whose key is the public key', async () => {
    const key = await importJWK(issuer.publicKey(), 'RS256', { extractable: true });
    if (key instanceof Uint8Array) throw new Error('The public key is not one.');
    const [, body] = (await job()).split('.');
    const head = Buffer.from(JSON.stringify({ alg: 'HS256', kid: issuer.publicKey().kid })).toString('base64url');
    const signature = createHmac('sha256', await exportSPKI(key))
      .update(`${head}.${body}`)
      .digest('base64url');
    expectRefused(await exchange(`${head}.${body}.${signature}`), /algorithm that is not accepted/);
  });

  test('what only looks like a token', async () => {
    expectRefused(await exchange('a.b.c'), /no signed JWT/);
    const refused = await exchange('no token at all');
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toMatchObject([{ location: 'body.token', message: expect.stringContaining('JWT') }]);
    expect(refused.text).not.toContain('no token at all');
  });

  test('a token that was exchanged before, with an id and without', async () => {
    const other = await api.organization();
    await trust(other, {});
    for (const jti of [crypto.randomUUID(), null]) {
      const token = await issuer.token({ aud: audience, ...github, nonce: crypto.randomUUID() }, { jti });
      const both = await Promise.all([exchange(token), exchange(token, other.slug)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 403]);
      expectRefused(await exchange(token), /was exchanged before/);
    }
  });

  test('a rule that was deleted; the tokens it made end with it, their streams too', async () => {
    const other = await api.organization();
    const id = await trust(other, {});
    const exchanged = exchangedOf(await exchange(await job(), other.slug));
    const stream = await readStream(api, '/api/v1/events/stream', credentialOf(exchanged));
    expect((await other.sessions.admin.delete(`/trusted-issuers/${id}`)).status).toBe(204);
    const refused = await teams(exchanged);
    expect([refused.status, refused.body.detail]).toEqual([403, 'This API token was revoked; create another one.']);
    await until('the stream ends', async () => stream.ended());
    expectRefused(await exchange(await job(), other.slug), stranger);
  });
});
