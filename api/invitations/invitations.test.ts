import { beforeEach, describe, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { renewedApi } from '../../test/api/own-api.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { signIn } from '../../test/identity/people.ts';
import { type Call, runningApi } from '../../test/installation/running-api.ts';

let path: string;

const { api, ours } = await renewedApi({ manyClients: true, env: { INVITATION_LIFETIME: '1d' } });
beforeEach(async () => {
  path = `/api/v1/organizations/${ours.organizationId}/invitations`;
});

interface Made {
  invitation: { id: string; email: string; role: string; createdAt: string; expiresAt: string };
  token: string;
}
const tryToInvite = (email: string, role = 'viewer', as: Call['as'] = ours.tokens.admin) =>
  api.call('POST', path, { as, body: { email, role } });
async function invite(email: string, role = 'viewer', as: Call['as'] = ours.tokens.admin): Promise<Made> {
  return ok<Made>(await tryToInvite(email, role, as), 201);
}
const accept = (token: string, as: Call['as']) =>
  api.call('POST', `/api/v1/invitations/${token}/accept`, { as, organization: '' });
const view = (token: string) => api.call('GET', `/api/v1/invitations/${token}`);
const expire = (id: string) => api.rows.set('invitation', { id }, { expires_at: new Date(0) });
const listed = async () => (await api.call('GET', path, { as: ours.tokens.admin })).body.items;

describe('an invitation', () => {
  test('is shown once with its token, and whoever has the token sees what it is about', async () => {
    const { invitation, token } = await invite('  New.Person@EXAMPLE.com ', 'deployer', ours.sessions.admin);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(invitation).toMatchObject({ email: 'New.Person@example.com', role: 'deployer' });
    expect(Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)).toBe(86_400_000);
    expect(await listed()).toEqual([invitation]);
    const seen = await view(token);
    const { $schema, ...body } = seen.body;
    expect(body).toEqual({ ...invitation, invitedByName: 'Ada', organizationName: ours.slug });
    const rows = await api.rows.all('invitation');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(api.lines)).not.toContain(token);
  });

  test('makes its person a member, though that belongs to no organization', async () => {
    const eve = await signIn(api.database, { email: `EVE-${crypto.randomUUID()}@Example.com` });
    const { invitation, token } = await invite(eve.email.toLowerCase(), 'admin');
    expect((await accept(token, eve.in())).status).toBe(204);
    const member = await api
      .as(eve.in(ours.organizationId))
      .get(`/organizations/${ours.organizationId}/members/${eve.userId}`);
    expect(member.body).toMatchObject({ role: 'admin', email: eve.email });
    expect(await listed()).toMatchObject([{ id: invitation.id, acceptedAt: expect.stringMatching(/Z$/) }]);
    expectProblem(await accept(token, eve.in()), 409, 'already accepted');
    const records = await api.database.kysely
      .selectFrom('audit_record')
      .select(['action', 'actor_id'])
      .where('organization_id', '=', ours.organizationId)
      .where('subject_kind', 'in', ['member', 'invitation'])
      .orderBy('at')
      .orderBy('id')
      .execute();
    expect(records).toMatchObject([
      { action: 'invitation.created' },
      { action: 'member.added', actor_id: eve.userId },
      { action: 'invitation.accepted', actor_id: eve.userId },
    ]);
  });

  test('is accepted once by whoever accepts it twice at the same time', async () => {
    const eve = await signIn(api.database);
    const { token } = await invite(eve.email);
    const both = await Promise.all([accept(token, eve.in()), accept(token, eve.in())]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  test('is nobody else’s, and an address that is not verified opens nothing', async () => {
    const eve = await signIn(api.database);
    const { token } = await invite(`someone-${crypto.randomUUID()}@example.com`);
    expectProblem(await accept(token, eve.in()), 403, 'This invitation is for some');
    const mallory = await signIn(api.database, { emailVerified: false });
    expectProblem(await accept((await invite(mallory.email)).token, mallory.in()), 403, 'Nobody has proved');
    expectProblem(await accept(token, ours.tokens.admin), 403, 'nobody in person');
  });

  test('ends with its time; sent again it is good, by the new token only', async () => {
    const eve = await signIn(api.database);
    const { invitation, token } = await invite(eve.email);
    await expire(invitation.id);
    expectProblem(await accept(token, eve.in()), 409, 'has expired');
    expect((await view(token)).status).toBe(200);
    const resend = () => ours.tokens.admin.post(`/invitations/${invitation.id}/resend`);
    const again = (await resend()).body as unknown as Made;
    expect(again.invitation.id).toBe(invitation.id);
    expect(Date.parse(again.invitation.expiresAt)).toBeGreaterThan(Date.now());
    for (const answered of [await view(token), await accept(token, eve.in())]) expect(answered.status).toBe(404);
    expect((await accept(again.token, eve.in())).status).toBe(204);
    expect((await resend()).status).toBe(409);
  });

  test('that was revoked is gone', async () => {
    const eve = await signIn(api.database);
    const { invitation, token } = await invite(eve.email);
    const revoke = () => ours.tokens.admin.delete(`/invitations/${invitation.id}`);
    expect((await revoke()).status).toBe(204);
    for (const answered of [await view(token), await accept(token, eve.in()), await revoke()]) {
      expect(answered.status).toBe(404);
    }
    expect(await listed()).toEqual([]);
    // The address is free again.
    const second = await invite(eve.email);
    await accept(second.token, eve.in());
    expectProblem(await ours.tokens.admin.delete(`/invitations/${second.invitation.id}`), 409, 'already accepted');
  });

  test('of a deleted organization is gone, and good again when that is restored', async () => {
    const eve = await signIn(api.database);
    const { token } = await invite(eve.email);
    await ours.sessions.owner.delete(`/organizations/${ours.organizationId}`, { confirmSlug: ours.slug });
    for (const answered of [await view(token), await accept(token, eve.in())]) expect(answered.status).toBe(404);
    const deleted = await api.call('GET', '/api/v1/deleted-organizations', {
      as: ours.sessions.owner,
      organization: '',
    });
    const [{ id }] = deleted.body.items as [{ id: string }];
    await api.call('POST', `/api/v1/deleted-organizations/${id}/restore`, {
      as: ours.sessions.owner,
      organization: '',
    });
    expect((await accept(token, eve.in())).status).toBe(204);
  });
});

describe('to invite', () => {
  test('somebody who belongs already, or is invited already, is refused with what to do', async () => {
    const eve = await signIn(api.database);
    const { invitation, token } = await invite(eve.email);
    expectProblem(await tryToInvite(eve.email.toUpperCase()), 409, 'resend that invitation');
    await expire(invitation.id);
    const replacing = await invite(eve.email);
    expect((await view(token)).status).toBe(404);
    expect(await listed()).toEqual([replacing.invitation]);
    await accept(replacing.token, eve.in());
    expectProblem(await tryToInvite(eve.email.toUpperCase()), 409, 'is already a member of the organization');
  });

  test('an owner takes an owner, and so does sending that invitation again', async () => {
    const email = 'boss@example.com';
    for (const as of [ours.tokens.admin, ours.sessions.admin]) {
      expect((await tryToInvite(email, 'owner', as)).status).toBe(403);
    }
    const { invitation } = await invite(email, 'owner', ours.sessions.owner);
    const resend = (as: Call['as']) => api.as(as).post(`/invitations/${invitation.id}/resend`);
    expect((await resend(ours.sessions.admin)).status).toBe(403);
    expect((await resend(ours.sessions.owner)).status).toBe(200);
  });

  test('what is no address is 422 at its place', async () => {
    for (const email of [
      '',
      'x',
      'a@b',
      'a b@example.com',
      `${'a'.repeat(250)}@example.com`,
      'a@example.com\nb@c.de',
    ]) {
      expect((await tryToInvite(email)).body).toMatchObject({ errors: [{ location: 'body.email' }] });
    }
  });
});

test('a token that is none is not echoed', async () => {
  const refused = await view('x'.repeat(201));
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toEqual([{ location: 'path.token', message: expect.any(String) }]);
});

test('only administrators hear of invitations', async () => {
  const [viewer, admin] = await Promise.all(
    [ours.sessions.viewer, ours.sessions.admin].map((as) => readStream(api, '/api/v1/events/stream', as)),
  );
  const { invitation } = await invite('heard@example.com');
  const team = await ours.tokens.admin.post('/teams', { name: 'After it' });
  for (const stream of [viewer, admin])
    await until('the team', async () => stream?.text().includes(String(team.body.id)));
  expect(admin?.events('change')).toContainEqual({ kind: 'invitation', id: invitation.id });
  expect(viewer?.text()).not.toContain(invitation.id);
  for (const stream of [viewer, admin]) stream?.stop();
});

test('viewing and accepting are limited for each address, so that tokens are not guessed', async () => {
  const limited = await runningApi();
  const statuses = new Set<number>();
  // The limit refills with time, so that a slow machine needs more requests than it has.
  for (let count = 0; count < 500 && !statuses.has(429); count += 1) {
    statuses.add((await limited.call('GET', `/api/v1/invitations/${crypto.randomUUID()}`)).status);
  }
  expect([...statuses]).toEqual([404, 429]);
  await limited.close();
});
