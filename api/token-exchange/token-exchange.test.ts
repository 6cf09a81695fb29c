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
import { jobIssuer } from '../../test/identity/job-issuer.ts';
import { runningApi } from '../../test/installation/running-api.ts';

const gitlab = {
  sub: 'project_path:group/app:ref_type:branch:ref:main',
  project_path: 'group/app',
  ref_protected: 'true',
};

const jobs = await jobExchange();
const { api, issuer, spare, ours, trust, exchange, job, teams } = jobs;
afterAll(() => jobs.close());

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
    const tooMuch = await api.as(credentialOf(exchanged)).post('/teams', { name: 'x' });
    expectRefused(tooMuch, /needs the role admin/);
  });

  test('like those of GitLab, by the id of the organization, with a name of its own', async () => {
    const other = await api.organization();
    await trust(other, { claims: { project_path: ['group/*'], ref_protected: ['true'] }, role: 'viewer' });
    const token = await issuer.token({ aud: [audience, 'other'], ...gitlab });
    const exchanged = exchangedOf(await exchange(token, other.organizationId, { name: 'nightly' }));
    expect(exchanged.token).toMatchObject({ name: 'nightly', role: 'viewer', organizationId: other.organizationId });
  });

  test('the audit log tells which job it was, and no log keeps a secret', async () => {
    const token = await job({ run_id: '4711' });
    const exchanged = exchangedOf(await exchange(token));
    const { body } = await api.as(ours.tokens.admin).get(`/audit-log?subjectId=${exchanged.token.id}`);
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
    const rule = await api.as(ours.tokens.admin).get('/trusted-issuers');
    expect(rule.body.items).toMatchObject([{ lastUsedAt: expect.any(String) }]);
  });

  test('the first rule that matches decides', async () => {
    const other = await api.organization();
    await trust(other, { claims: { repository: ['octo/other'] }, role: 'admin' });
    await trust(other, { claims: { repository: ['octo/app'] }, role: 'viewer' });
    await trust(other, { claims: { repository: ['octo/*'] }, role: 'admin' });
    expect(exchangedOf(await exchange(await job(), other.slug)).token.role).toBe('viewer');
  });

  test('signed with Ed25519', async () => {
    const signer = await jobIssuer('Ed25519');
    try {
      const other = await api.organization();
      await trust(other, { issuer: signer.url });
      exchangedOf(await exchange(await signer.token({ aud: audience, ...github }), other.slug));
    } finally {
      await signer.close();
    }
  });

  test('its token is refused when it has expired, and its stream closes at once', async () => {
    const other = await api.organization();
    await trust(other, {});
    const exchanged = exchangedOf(await exchange(await job(), other.slug));
    await api.rows.set('api_token', { id: String(exchanged.token.id) }, { expires_at: new Date(Date.now() + 1_500) });
    const stream = await readStream(api, '/api/v1/events/stream', credentialOf(exchanged));
    await until('the stream ends', async () => stream.ended());
    const refused = await teams(exchanged);
    expect([refused.status, refused.body.detail]).toEqual([403, 'This API token has expired; create another one.']);
  });
});

describe('the keys of the issuer', () => {
  test('a new one is found at once; one that is made up is looked for once a minute', async () => {
    const rotating = await jobIssuer();
    try {
      const other = await api.organization();
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
    const other = await api.organization();
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
    const other = await api.organization();
    await trust(other, { issuer: spare.url });
    await spare.behave({ issuer: issuer.url });
    const answered = await exchange(await spare.token({ aud: audience, ...github }), other.slug);
    expectRefused(answered, /says of itself that it is another one/);
    await spare.behave({});
  });

  test('it is not asked when its address has become a private one', async () => {
    const strict = await runningApi();
    try {
      const whose = await strict.organization();
      await strict.rows.add('trusted_issuer', {
        id: crypto.randomUUID(),
        organization_id: whose.organizationId,
        name: 'inner',
        issuer: issuer.url.replace('http:', 'https:'),
        audience,
        claims: { repository: ['octo/*'] },
        role: 'viewer',
        token_lifetime_seconds: 60,
        created_by: 'test',
      });
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
  const refused: number[] = [];
  // A try a second is given back meanwhile, so a slow machine has some more of them.
  while (refused.at(-1) !== 429 && refused.length < 1_000) {
    const answered = await api.call('POST', '/api/v1/token-exchange', { body: { organization: 'x', token }, headers });
    refused.push(answered.status);
  }
  expect(refused.length).toBeGreaterThan(60);
  expect([...new Set(refused)]).toEqual([403, 429]);
});
