import { describe, expect, test } from 'vitest';
import { createToken } from '../../db/api-tokens/api-tokens.ts';
import { ok } from '../../test/api/client.ts';
import { renewedApi } from '../../test/api/own-api.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { runningApi } from '../../test/installation/running-api.ts';

const github = 'https://token.actions.githubusercontent.com';
const rule = {
  name: 'GitHub',
  issuer: github,
  audience: 'https://ballast.example.com',
  claims: { repository: ['octo/*'], ref: ['refs/heads/main', 'refs/tags/*'] },
  role: 'deployer',
};
const { api, ours } = await renewedApi();

const url = '/api/v1/trusted-issuers';
const create = (more: Record<string, unknown> = {}, whose = ours) =>
  api.call('POST', url, { as: whose.sessions.admin, body: { ...rule, ...more } });
const update = (id: unknown, body: Record<string, unknown>, whose = ours) =>
  api.call('PATCH', `${url}/${id}`, { as: whose.sessions.admin, body });

/** A token as a job gets it by the rule. */
async function minted(trustedIssuerId: unknown) {
  const made = await api.effect((running) =>
    createToken(running, {
      organizationId: ours.organizationId,
      name: 'job',
      role: 'deployer',
      expiresAt: new Date(Date.now() + 900_000),
      exchanged: { authorIds: [], trustedIssuerId: String(trustedIssuerId), details: {} },
    }),
  );
  return { token: made.secret, id: made.row.id };
}
const status = async (token: { token: string; id: string }) => (await api.as(token).get('/teams')).status;

async function actions(): Promise<string[]> {
  const { body } = await ours.tokens.admin.get('/audit-log');
  return Array.isArray(body.items) ? body.items.map(({ action }) => action) : [];
}

test('201 with the rule, its defaults filled in; it can be read and is listed', async () => {
  const made = ok(await create(), 201);
  const { $schema, ...body } = made;
  expect(body).toEqual({
    ...rule,
    id: expect.any(String),
    tokenLifetimeSeconds: 900,
    createdBy: ours.sessions.admin.userId,
    createdAt: expect.any(String),
  });
  const got = await api.call('GET', `${url}/${body.id}`, { as: ours.tokens.admin });
  expect(got.body).toEqual(made);
  expect((await api.call('GET', url, { as: ours.tokens.admin })).body.items).toEqual([body]);
  expect(await actions()).toContain('trusted_issuer.created');
});

describe('403 for', () => {
  test.each([
    ['POST', ''],
    ['PATCH', '/00000000-0000-4000-8000-000000000000'],
    ['DELETE', '/00000000-0000-4000-8000-000000000000'],
  ])('%s by a token, which says why', async (method, path) => {
    const refused = await api.call(method, `${url}${path}`, {
      as: ours.tokens.admin,
      ...(method === 'DELETE' ? {} : { body: rule }),
    });
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toBe(
      'An API token cannot change trusted issuers, since they create tokens and a token cannot create tokens; sign in and do it in the console.',
    );
  });
});

describe('422 for', () => {
  test('what is no rule, new or changed', async () => {
    const { body: good } = await create({ name: 'good' });
    for (const [what, more, location, message] of [
      ['an issuer that is no address', { issuer: 'github' }, 'body.issuer', 'This is not a URL'],
      ['plain http', { issuer: 'http://gitlab.example.com' }, 'body.issuer', 'https://'],
      ['a private address', { issuer: 'https://169.254.169.254' }, 'body.issuer', 'private address'],
      ['a private address in other words', { issuer: 'https://0x7f.1' }, 'body.issuer', 'private address'],
      ['a password', { issuer: 'https://a:b@gitlab.example.com' }, 'body.issuer', 'no user name'],
      ['a query', { issuer: 'https://gitlab.example.com?x=1' }, 'body.issuer', 'no query'],
      ['a fragment', { issuer: 'https://gitlab.example.com#x' }, 'body.issuer', 'no query'],
      ['an unusual spelling', { issuer: 'https://GitLab.com' }, 'body.issuer', 'https://gitlab.com'],
      ['no claims', { claims: {} }, 'body.claims', '1 to 20 claims'],
      ['too many claims', { claims: claimsOf(21) }, 'body.claims', '1 to 20 claims'],
      ['a claim without patterns', { claims: { repository: [] } }, 'body.claims.repository', ''],
      ['an empty pattern', { claims: { repository: [''] } }, 'body.claims.repository[0]', ''],
      ['a control character', { audience: 'a\nb' }, 'body.audience', 'cannot be seen'],
      ['claims of nobody in particular', { claims: { ref: ['main'] } }, 'body.claims', 'must name the owner'],
      ['claims of everybody', { claims: { repository: ['*/app'] } }, 'body.claims', 'must name the owner'],
      [
        'any job of an issuer',
        { issuer: 'https://ci.example.com', claims: { sub: ['*'] } },
        'body.claims',
        'every job there is',
      ],
      ['a role that tokens cannot have', { role: 'owner' }, 'body.role', ''],
      ['tokens that last too long', { tokenLifetimeSeconds: 3601 }, 'body.tokenLifetimeSeconds', '3600'],
      ['tokens that do not last', { tokenLifetimeSeconds: 59 }, 'body.tokenLifetimeSeconds', '60'],
      [
        'projects that do not exist',
        { projectIds: ['00000000-0000-4000-8000-000000000000'] },
        'body.projectIds[0]',
        'is not a project of this organization',
      ],
    ] as const) {
      const refused = await create(more);
      expect(refused.status, `${what}: ${refused.text}`).toBe(422);
      expect(refused.body.errors, what).toMatchObject([{ location, message: expect.stringContaining(message) }]);
      // A change is checked as a whole, as a new rule is.
      expect((await update(good.id, more)).body.errors, what).toEqual(refused.body.errors);
    }
  });

  function claimsOf(count: number): Record<string, string[]> {
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [`claim-${index}`, ['x']]));
  }
});

test('an issuer within the ranges that the owner allows may be private and plain', async () => {
  const allowing = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '10.0.0.0/8' } });
  try {
    const whose = await allowing.organization();
    const made = (issuer: string) =>
      allowing.call('POST', url, {
        as: whose.sessions.admin,
        body: { ...rule, name: issuer, issuer, claims: { project_path: ['group/app'] } },
      });
    expect((await made('http://10.1.2.3:8080')).status).toBe(201);
    expect((await made('https://10.1.2.3/gitlab')).status).toBe(201);
    expect((await made('https://192.168.0.1')).status).toBe(422);
  } finally {
    await allowing.close();
  }
});

test('409 for a name that is taken, whatever its case', async () => {
  await create();
  const again = await create({ name: 'GITHUB' });
  expect([again.status, again.body.detail]).toEqual([
    409,
    'A trusted issuer named "GITHUB" exists already: choose another name.',
  ]);
  const { body: other } = await create({ name: 'other' });
  expect((await update(other.id, { name: 'github' })).status).toBe(409);
});

test('404 for a rule of another organization', async () => {
  const theirs = await api.organization();
  const { body } = await create();
  for (const [method, sent] of [
    ['GET', {}],
    ['PATCH', { body: { name: 'theirs' } }],
    ['DELETE', {}],
  ] as const) {
    expect((await api.call(method, `${url}/${body.id}`, { as: theirs.sessions.admin, ...sent })).status).toBe(404);
  }
});

describe('changing a rule', () => {
  test.each([
    ['its name', { name: 'renamed' }],
    ['how long tokens last', { tokenLifetimeSeconds: 60 }],
    ['nothing', { role: 'deployer', claims: { ref: rule.claims.ref, repository: rule.claims.repository } }],
  ])('in %s leaves its tokens alone', async (_, change) => {
    const { body } = await create();
    const token = await minted(body.id);
    const changed = ok(await update(body.id, change));
    expect(changed).toMatchObject(change);
    expect(await status(token)).toBe(200);
  });

  test.each([
    ['issuer', { issuer: 'https://gitlab.example.com' }],
    ['audience', { audience: 'other' }],
    ['claims', { claims: { repository: ['octo/app'] } }],
    ['role', { role: 'viewer' }],
    ['projects', { projectIds: [] }],
  ])('in its %s revokes them, and closes their streams', async (_, change) => {
    const { body } = await create();
    const { body: other } = await create({ name: 'other' });
    const [token, spared] = [await minted(body.id), await minted(other.id)];
    const stream = await readStream(api, '/api/v1/events/stream', token);
    const changed = await update(body.id, change);
    expect(changed.body).toMatchObject(change);
    expect([await status(token), await status(spared)]).toEqual([403, 200]);
    await until('the stream ends', async () => stream.ended());
    // Widened, it is a guard that was loosened, too.
    const done = (await actions()).filter((action) => !action.startsWith('guard.'));
    expect(done.slice(0, 2).toSorted()).toEqual(['api_token.revoked', 'trusted_issuer.changed']);
  });

  test('projects can be unlimited again', async () => {
    const { body } = await create({ projectIds: [] });
    expect(body.projectIds).toEqual([]);
    expect('projectIds' in (await update(body.id, { projectIds: null })).body).toBe(false);
  });
});

test('DELETE: 204, its tokens are revoked, and then 404', async () => {
  const { body } = await create();
  const token = await minted(body.id);
  const other = await create({ name: 'Another rule' });
  await minted(other.body.id);
  const live = `/api-tokens?live=true&trustedIssuerId=${body.id}`;
  expect((await ours.tokens.admin.get(live)).body.items).toMatchObject([{ id: token.id }]);
  expect((await api.call('DELETE', `${url}/${other.body.id}`, { as: ours.sessions.admin })).status).toBe(204);
  const remove = () => api.call('DELETE', `${url}/${body.id}`, { as: ours.sessions.admin });
  expect((await remove()).status).toBe(204);
  expect(await status(token)).toBe(403);
  expect((await remove()).status).toBe(404);
  expect((await api.call('GET', url, { as: ours.tokens.admin })).body.items).toEqual([]);
});

test('only administrators hear of it', async () => {
  const streams = await Promise.all(
    [ours.tokens.admin, ours.tokens.viewer].map((as) => readStream(api, '/api/v1/events/stream', as)),
  );
  const { body } = await create();
  const { body: team } = await ours.tokens.admin.post('/teams', { name: 'After' });
  for (const stream of streams) await until('the team', async () => stream.text().includes(String(team.id)));
  expect(streams.map((stream) => stream.text().includes(String(body.id)))).toEqual([true, false]);
  for (const stream of streams) stream.stop();
});
