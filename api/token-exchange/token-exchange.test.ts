import { createHmac } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { type JobIssuer, jobIssuer } from '../../test/identity/job-issuer.ts';
import { type Answered, type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { specifiedClocks } from '../engine/streams/clocks.ts';

const audience = 'https://ballast.example.com';
const github = {
  sub: 'repo:octo/app:ref:refs/heads/main',
  repository: 'octo/app',
  ref: 'refs/heads/main',
  run_id: '7',
};
const gitlab = {
  sub: 'project_path:group/app:ref_type:branch:ref:main',
  project_path: 'group/app',
  ref_protected: 'true',
};

let api: RunningApi;
let issuer: JobIssuer;
let ours: Seeded;
/** Another issuer, to be put out of order. */
let spare: JobIssuer;

beforeAll(async () => {
  // No check of a stream's credential comes within a test.
  const clocks = { ...specifiedClocks, recheck: 3_600_000 };
  api = await runningApi({ manyClients: true, clocks, env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
  issuer = await jobIssuer();
  spare = await jobIssuer();
  ours = await seed(api.database);
  await trust(ours, {});
});
afterAll(async () => {
  await issuer.close();
  await spare.close();
  await api.close();
});

let rules = 0;
async function trust(whose: Seeded, more: Record<string, unknown>): Promise<string> {
  rules += 1;
  const made = await api.call('POST', '/api/v1/trusted-issuers', {
    as: whose.sessions.admin,
    body: {
      name: `deploy ${rules}`,
      issuer: issuer.url,
      audience,
      claims: { repository: ['octo/*'], ref: ['refs/heads/main'] },
      role: 'deployer',
      ...more,
    },
  });
  expect(made.status, made.text).toBe(201);
  return String(made.body.id);
}

const exchange = (token: string, organization = ours.slug, more: Record<string, unknown> = {}) =>
  api.call('POST', '/api/v1/token-exchange', { body: { organization, token, ...more } });
const job = (claims: Record<string, unknown> = {}) => issuer.token({ aud: audience, ...github, ...claims });

const stranger =
  'This token is not trusted here: there is no such organization, none of its trusted issuers is the one that the token names in "iss", or the token is not signed by it. Compare both with the rule.';

function expectRefused(answered: Answered, detail: string | RegExp): void {
  expect(answered.status, answered.text).toBe(403);
  if (typeof detail === 'string') expect(answered.body.detail).toBe(detail);
  else expect(answered.body.detail).toMatch(detail);
}

interface Exchanged {
  secret: string;
  token: Record<string, unknown>;
}
function exchangedOf(answered: Answered): Exchanged {
  expect(answered.status, answered.text).toBe(201);
  return answered.body as unknown as Exchanged;
}
const as = ({ secret, token }: Exchanged) => ({ token: secret, id: String(token.id) });
const teams = (exchanged: Exchanged) => api.call('GET', '/api/v1/teams', { as: as(exchanged) });

describe('a job that is trusted', () => {
  test('201: gets a token that works, for as long and for as much as the rule says', async () => {
    const answered = await exchange(await job());
    const exchanged = exchangedOf(answered);
    expect(exchanged.token).toMatchObject({
      name: 'deploy 1: repo:octo/app:ref:refs/heads/main',
      role: 'deployer',
      organizationId: ours.organizationId,
      createdBy: 'ci: deploy 1',
      projectRestricted: false,
      expiresAt: answered.body.expiresAt,
    });
    const lasts = Date.parse(String(answered.body.expiresAt)) - Date.parse(String(exchanged.token.createdAt));
    expect(Math.round(lasts / 10_000)).toBe(90);
    expect(answered.body.shownOnce).toBe(true);
    expect((await teams(exchanged)).status).toBe(200);
    const tooMuch = await api.call('POST', '/api/v1/teams', { as: as(exchanged), body: { name: 'x' } });
    expectRefused(tooMuch, /needs the role admin/);
  });

  test('like those of GitLab, by the id of the organization, with a name of its own', async () => {
    const other = await seed(api.database);
    await trust(other, { claims: { project_path: ['group/*'], ref_protected: ['true'] }, role: 'viewer' });
    const token = await issuer.token({ aud: [audience, 'other'], ...gitlab });
    const exchanged = exchangedOf(await exchange(token, other.organizationId, { name: 'nightly' }));
    expect(exchanged.token).toMatchObject({ name: 'nightly', role: 'viewer', organizationId: other.organizationId });
  });

  test('the audit log tells which job it was, and no log keeps a secret', async () => {
    const token = await job({ run_id: '4711' });
    const exchanged = exchangedOf(await exchange(token));
    const { body } = await api.call('GET', `/api/v1/audit-log?subjectId=${exchanged.token.id}`, {
      as: ours.tokens.admin,
    });
    expect(body.items).toMatchObject([
      {
        action: 'api_token.exchanged',
        actor: { kind: 'machine', name: 'ci: deploy 1' },
        ip: expect.stringMatching(/^10\./),
        details: { issuer: issuer.url, rule: 'deploy 1', claims: { repository: 'octo/app', run_id: '4711' } },
      },
    ]);
    const told = JSON.stringify([body, api.lines]);
    for (const secret of [token, token.split('.')[2] ?? '', exchanged.secret]) expect(told).not.toContain(secret);
    const rule = await api.call('GET', '/api/v1/trusted-issuers', { as: ours.tokens.admin });
    expect(rule.body.items).toMatchObject([{ lastUsedAt: expect.any(String) }]);
  });

  test('the first rule that matches decides', async () => {
    const other = await seed(api.database);
    await trust(other, { claims: { repository: ['octo/other'] }, role: 'admin' });
    await trust(other, { claims: { repository: ['octo/app'] }, role: 'viewer' });
    await trust(other, { claims: { repository: ['octo/*'] }, role: 'admin' });
    expect(exchangedOf(await exchange(await job(), other.slug)).token.role).toBe('viewer');
  });

  test.each(['PS256', 'ES256', 'Ed25519'])('signed with %s', async (algorithm) => {
    const signer = await jobIssuer(algorithm);
    try {
      const other = await seed(api.database);
      await trust(other, { issuer: signer.url });
      exchangedOf(await exchange(await signer.token({ aud: audience, ...github }), other.slug));
    } finally {
      await signer.close();
    }
  });

  test('its token is refused when it has expired, and its stream closes at once', async () => {
    const other = await seed(api.database);
    await trust(other, {});
    const exchanged = exchangedOf(await exchange(await job(), other.slug));
    await api.database.kysely
      .updateTable('api_token')
      .set({ expires_at: new Date(Date.now() + 1_500) })
      .where('id', '=', String(exchanged.token.id))
      .execute();
    const stream = await readStream(api, '/api/v1/events/stream', as(exchanged));
    await until('the stream ends', async () => stream.ended());
    const refused = await teams(exchanged);
    expect([refused.status, refused.body.detail]).toEqual([403, 'This API token has expired; create another one.']);
  });
});

describe('403 for', () => {
  test('an organization that does not exist, one without the rule, and a broken signature: one sentence', async () => {
    const other = await seed(api.database);
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
    exchangedOf(await exchange(await job({ iat: now + 30, nbf: now + 30, exp: now - 20 })));
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
    const other = await seed(api.database);
    await trust(other, {});
    for (const jti of [crypto.randomUUID(), null]) {
      const token = await issuer.token({ aud: audience, ...github, nonce: crypto.randomUUID() }, { jti });
      const both = await Promise.all([exchange(token), exchange(token, other.slug)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 403]);
      expectRefused(await exchange(token), /was exchanged before/);
    }
  });

  test('a rule that was deleted; the tokens it made end with it, their streams too', async () => {
    const other = await seed(api.database);
    const id = await trust(other, {});
    const exchanged = exchangedOf(await exchange(await job(), other.slug));
    const stream = await readStream(api, '/api/v1/events/stream', as(exchanged));
    const deleted = await api.call('DELETE', `/api/v1/trusted-issuers/${id}`, { as: other.sessions.admin });
    expect(deleted.status).toBe(204);
    const refused = await teams(exchanged);
    expect([refused.status, refused.body.detail]).toEqual([403, 'This API token was revoked; create another one.']);
    await until('the stream ends', async () => stream.ended());
    expectRefused(await exchange(await job(), other.slug), stranger);
  });
});

describe('the keys of the issuer', () => {
  test('a new one is found at once; one that is made up is looked for once a minute', async () => {
    const rotating = await jobIssuer();
    try {
      const other = await seed(api.database);
      await trust(other, { issuer: rotating.url });
      const next = () => rotating.token({ aud: audience, ...github });
      exchangedOf(await exchange(await next(), other.slug));
      exchangedOf(await exchange(await next(), other.slug));
      expect(await rotating.asked()).toBe(2);
      await rotating.rotate();
      exchangedOf(await exchange(await next(), other.slug));
      expect(await rotating.asked()).toBe(4);
      await rotating.rotate(false);
      for (let index = 0; index < 3; index += 1) expectRefused(await exchange(await next(), other.slug), stranger);
      expect(await rotating.asked()).toBe(4);
    } finally {
      await rotating.close();
    }
  });

  test('503 while it is away, answers nonsense or nothing', async () => {
    const other = await seed(api.database);
    for (const how of ['away', 'wrong', 'silent'] as const) {
      const bad = await jobIssuer();
      await trust(other, { issuer: bad.url });
      const token = await bad.token({ aud: audience, ...github });
      if (how === 'wrong') await bad.behave({ status: 500 });
      if (how === 'silent') await bad.behave({ silent: true });
      if (how === 'away') await bad.close();
      const answered = await exchange(token, other.slug);
      expect([answered.status, answered.headers.get('retry-after')], how).toEqual([503, '10']);
      expect(answered.body.detail).toMatch(/^The keys of the token's issuer cannot be fetched: 127\.0\.0\.1:\d+ .*\.$/);
      await bad.close();
    }
  });

  test('403 if its document is about another issuer', async () => {
    const other = await seed(api.database);
    await trust(other, { issuer: spare.url });
    await spare.behave({ issuer: issuer.url });
    const answered = await exchange(await spare.token({ aud: audience, ...github }), other.slug);
    expectRefused(answered, /says of itself that it is another one/);
    await spare.behave({});
  });

  test('504 when it takes longer than a request may', async () => {
    const hasty = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', REQUEST_TIMEOUT: '2s' } });
    const silent = await jobIssuer();
    try {
      const whose = await seed(hasty.database);
      const made = await hasty.call('POST', '/api/v1/trusted-issuers', {
        as: whose.sessions.admin,
        body: { name: 'silent', issuer: silent.url, audience, claims: { ref: ['x'] }, role: 'viewer' },
      });
      expect(made.status, made.text).toBe(201);
      await silent.behave({ silent: true });
      const token = await silent.token({ aud: audience, ref: 'x' });
      const answered = await hasty.call('POST', '/api/v1/token-exchange', {
        body: { organization: whose.slug, token },
      });
      expect(answered.status, answered.text).toBe(504);
    } finally {
      await silent.close();
      await hasty.close();
    }
  });

  test('it is not asked when its address has become a private one', async () => {
    const strict = await runningApi();
    try {
      const whose = await seed(strict.database);
      await strict.database.kysely
        .insertInto('trusted_issuer')
        .values({
          id: crypto.randomUUID(),
          organization_id: whose.organizationId,
          name: 'inner',
          issuer: issuer.url.replace('http:', 'https:'),
          audience,
          claims: { repository: ['octo/*'] },
          role: 'viewer',
          token_lifetime_seconds: 60,
          created_by: 'test',
        })
        .execute();
      const before = await issuer.asked();
      const token = await job({ iss: issuer.url.replace('http:', 'https:') });
      const answered = await strict.call('POST', '/api/v1/token-exchange', {
        body: { organization: whose.slug, token },
      });
      expect([answered.status, await issuer.asked()]).toEqual([503, before]);
      expect(answered.body.detail).toContain('is a private address');
    } finally {
      await strict.close();
    }
  });
});

test('429: one address tries sixty times a minute', async () => {
  const token = await spare.token({});
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  const statuses = new Set<number>();
  for (let index = 0; index < 61; index += 1) {
    const answered = await api.call('POST', '/api/v1/token-exchange', { body: { organization: 'x', token }, headers });
    statuses.add(answered.status);
  }
  expect([...statuses]).toEqual([403, 429]);
});
