import { expect, test } from 'vitest';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';

const { api, ours } = await ownApi();

test('with both credentials the token counts, and a broken token is not made good by the cookie', async () => {
  const viewer = ours.tokens.viewer;
  const token = 'token' in viewer ? viewer.token : '';
  const cookie = 'session' in ours.sessions.owner ? `svc_session=${ours.sessions.owner.session}` : '';
  const body = { name: 'Both' };
  const both = { cookie, authorization: `Bearer ${token}` };
  expectProblem(await api.call('POST', '/api/v1/teams', { body, headers: both }), 403, 'viewer');
  const broken = { ...both, authorization: `Bearer ${token}x`, 'x-svc-organization': ours.organizationId };
  expect((await api.call('GET', '/api/v1/teams', { headers: broken })).status).toBe(403);
});

test('two cookies of one name are refused with a sentence', async () => {
  const session = 'session' in ours.sessions.owner ? ours.sessions.owner.session : '';
  const headers = {
    cookie: `svc_session=${session}; a=b; svc_session=${session}`,
    'x-svc-organization': ours.organizationId,
  };
  expectProblem(await api.call('GET', '/api/v1/teams', { headers }), 403, 'Two cookies named svc_session');
});

test('a token is made by a session, works, is seen to be used, and is refused once revoked', async () => {
  const made = await ours.sessions.admin.post('/api-tokens', { name: 'deploy', role: 'deployer' });
  expect(made.body).toMatchObject({ shownOnce: true, token: { name: 'deploy', role: 'deployer', projectIds: [] } });
  const { token, secret } = made.body as { token: { id: string }; secret: string };
  expect(secret).toMatch(/^svc_[A-Za-z0-9]+_[\w-]{43}$/);
  const as = { token: secret, id: token.id };
  expect((await api.as(as).get('/teams')).status).toBe(200);
  const list = await ours.sessions.admin.get('/api-tokens');
  expect(list.text).not.toContain(secret.split('_').slice(2).join('_'));
  expect((await ours.tokens.admin.delete(`/api-tokens/${token.id}`)).status).toBe(204);
  expectProblem(await api.as(as).get('/teams'), 403, 'revoked');
  expect((await ours.tokens.admin.delete(`/api-tokens/${token.id}`)).status).toBe(204);
});

test('an expiry in the past is 422 at its place; an expired token is refused', async () => {
  const body = { name: 'late', role: 'viewer', expiresAt: '2001-01-01T00:00:00Z' };
  const refused = await ours.sessions.admin.post('/api-tokens', body);
  expect(refused.body.errors).toMatchObject([{ location: 'body.expiresAt' }]);
  const token = await ours.token('viewer');
  const past = new Date('2001-01-01');
  await api.rows.set('api_token', { id: token.id }, { expires_at: past });
  expect((await api.as(token).get('/teams')).body.detail).toContain('expired');
});

test('organizations are those of the caller, of a token its own', async () => {
  const other = await api.organization();
  const { userId } = ours.sessions.owner;
  await api.rows.add('membership', { organization_id: other.organizationId, user_id: userId, role: 'viewer' });
  const list = async (path: string) => {
    const { body } = await api.call('GET', path, { as: ours.sessions.owner, organization: '' });
    return body as { items: { organizationId: string; role: string }[]; nextCursor?: string };
  };
  const whole = await list('/api/v1/organizations');
  expect(whole.items).toMatchObject([
    { organizationId: ours.organizationId, role: 'owner' },
    { organizationId: other.organizationId, role: 'viewer' },
  ]);
  const first = await list('/api/v1/organizations?limit=1');
  const second = await list(`/api/v1/organizations?limit=1&cursor=${first.nextCursor}`);
  expect([...first.items, ...second.items]).toEqual(whole.items);
  const { body } = await ours.tokens.viewer.get('/organizations');
  expect(body.items).toMatchObject([
    { organizationId: ours.organizationId, role: 'viewer', callerId: ours.tokens.viewer.id },
  ]);
});

test('neither secrets nor paths are in the log', async () => {
  const secret = 'token' in ours.tokens.admin ? ours.tokens.admin.token : '';
  const session = 'session' in ours.sessions.owner ? ours.sessions.owner.session : '';
  await ours.tokens.admin.get('/teams?cursor=seen-in-query');
  await ours.sessions.owner.delete('/teams/seen-in-path');
  const log = JSON.stringify(api.lines);
  for (const text of [secret, secret.split('_').slice(2).join('_'), session, 'seen-in-query', 'seen-in-path']) {
    expect(log.includes(text)).toBe(false);
  }
  const line = api.lines.find(({ operation }) => operation === 'teams.delete');
  expect(line).toMatchObject({ status: 422, problem: 'invalid-field', caller: { kind: 'session' } });
  expect(line?.requestId).toMatch(/^[\w-]{36}$/);
});
