import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '../../domain/roles.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { renewedApi } from '../../test/api/own-api.ts';
import { type SignedIn, signIn } from '../../test/identity/people.ts';
import type { Call } from '../../test/installation/running-api.ts';

let path: string;

const { api, ours } = await renewedApi({ env: { ORGANIZATION_CREATORS: 'everyone' } });
beforeEach(async () => {
  path = `/api/v1/organizations/${ours.organizationId}`;
});

const update = (body: object, as: Call['as'] = ours.tokens.admin) => api.call('PATCH', path, { as, body });
async function join(role: Role, how: { mfa: boolean }): Promise<SignedIn> {
  const person = await signIn(api.database, how);
  await api.rows.add('membership', { organization_id: ours.organizationId, user_id: person.userId, role });
  return person;
}

describe('POST /organizations', () => {
  test('201, and whoever made it owns it', async () => {
    const eve = await signIn(api.database);
    const slug = `made-${uuid()}`;
    const made = await api.call('POST', '/api/v1/organizations', {
      as: eve.in(),
      organization: '',
      body: { name: ' Acme ', slug },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'Acme', slug, requireMfa: false });
    const members = await api.as(eve.in(String(made.body.id))).get(`/organizations/${made.body.id}/members`);
    expect(members.body.items).toMatchObject([{ userId: eve.userId, role: 'owner' }]);
    const again = await api.call('POST', '/api/v1/organizations', {
      as: eve.in(),
      organization: '',
      body: { name: 'B', slug },
    });
    expect([again.status, again.body.detail]).toEqual([409, expect.stringContaining(slug)]);
    expect(again.body.errors).toMatchObject([{ location: 'body.slug' }]);
  });

  test('422 for what is no slug or no name; 403 with a reason for a token', async () => {
    for (const slug of ['', 'A', '-a', 'a_b', 'a'.repeat(64)]) {
      const refused = await ours.sessions.owner.post('/organizations', { name: ' ', slug });
      expect(refused.body.errors).toMatchObject([{ location: 'body.name' }, { location: 'body.slug' }]);
    }
    const byToken = await ours.tokens.admin.post('/organizations', { name: 'A', slug: 'a' });
    expect([byToken.status, byToken.body.detail]).toEqual([403, expect.stringContaining('cannot create another')]);
  });
});

describe('PATCH /organizations/{id}', () => {
  test('changes what is named, removes what is null and records what differs', async () => {
    const made = await ours.tokens.admin.post('/clusters', { name: 'Default' });
    const { id: cluster } = made.body.cluster as { id: string };
    expectProblem(await update({ defaultClusterId: uuid() }), 422, [{ location: 'body.defaultClusterId' }]);
    const changed = await update({ name: 'New', defaultClusterId: cluster, buildRepositoryPrefix: 'acme/apps_1' });
    expect(changed.body).toMatchObject({
      name: 'New',
      defaultClusterId: cluster,
      buildRepositoryPrefix: 'acme/apps_1',
    });
    const removed = await update({ name: 'New', defaultClusterId: null });
    expect(removed.body).not.toHaveProperty('defaultClusterId');
    expect(removed.body).toMatchObject({ name: 'New', slug: ours.slug, buildRepositoryPrefix: 'acme/apps_1' });
    expect((await update({})).status).toBe(200);
    const records = await api.rows.all(
      'audit_record',
      { organization_id: ours.organizationId, action: 'organization.updated' },
      'at',
    );
    expect(records.map(({ details }) => details)).toEqual([
      {
        name: { from: ours.slug, to: 'New' },
        defaultClusterId: { from: null, to: cluster },
        buildRepositoryPrefix: { from: null, to: 'acme/apps_1' },
      },
      { defaultClusterId: { from: cluster, to: null } },
    ]);
  });

  test('422 for what is no setting of an organization', async () => {
    for (const body of [
      { name: '' },
      { name: 'x'.repeat(101) },
      { slug: 'other' },
      { defaultClusterId: 'x' },
      { buildRepositoryPrefix: '' },
      { buildRepositoryPrefix: 'Acme' },
      { buildRepositoryPrefix: '/acme' },
      { buildRepositoryPrefix: 'acme/' },
      { buildRepositoryPrefix: 'acme//apps' },
      { buildRepositoryPrefix: '../acme' },
      { buildRepositoryPrefix: 'acme:latest' },
      { buildRepositoryPrefix: 'a'.repeat(256) },
    ]) {
      expectProblem(await update(body), 422, [{ location: `body.${Object.keys(body)[0]}` }]);
    }
  });
});

describe('requireMfa', () => {
  test('is not switched by a token, nor by a session that would lock itself out', async () => {
    expectProblem(await update({ requireMfa: true }), 403, 'cannot switch the second');
    expectProblem(await update({ requireMfa: true }, ours.sessions.owner), 403, 'You would lock yourself out');
    expect((await update({ requireMfa: false })).status).toBe(200);
  });

  test('warns of members who have none, then refuses their sessions at once; tokens go on', async () => {
    const eve = await join('owner', { mfa: true });
    await join('viewer', { mfa: true });
    const as = eve.in(ours.organizationId);
    const warned = await update({ requireMfa: true }, as);
    expect(warned.status).toBe(409);
    expect(warned.body.errors).toMatchObject([{ location: 'body.confirmMembersWithoutMfa' }]);
    expect(warned.body.detail).toMatch(/^4 other members did not use .*: Ada, Ada, Ada, Ada\. /);
    for (let more = 0; more < 3; more += 1) await join('viewer', { mfa: false });
    expect((await update({ requireMfa: true }, as)).body.detail).toMatch(/^7 other .* Ada, Ada and 2 more\. /);
    const done = await update({ requireMfa: true, confirmMembersWithoutMfa: true }, as);
    expect([done.status, done.body.requireMfa]).toEqual([200, true]);
    expectProblem(await api.call('GET', path, { as: ours.sessions.owner }), 403, 'second factor');
    expect((await api.call('GET', path, { as })).status).toBe(200);
    expect((await api.call('GET', path, { as: ours.tokens.viewer })).status).toBe(200);
    expect((await update({ requireMfa: false })).status).toBe(403);
    expect((await update({ requireMfa: false }, as)).body.requireMfa).toBe(false);
  });
});

describe.each([
  ['join-token-ttl', 'seconds', 3600, 300, 604_800],
  ['deleted-retention', 'hours', 168, 1, 8760],
])('%s', (place, field, byDefault, least, most) => {
  test(`is ${byDefault} ${field} until an administrator says otherwise, within its range`, async () => {
    const get = () => api.call('GET', `${path}/${place}`, { as: ours.tokens.viewer });
    const put = (value: unknown) =>
      api.call('PUT', `${path}/${place}`, { as: ours.tokens.admin, body: { [field]: value } });
    expect((await get()).body[field]).toBe(byDefault);
    for (const value of [least, most]) {
      expect((await put(value)).body[field]).toBe(value);
      expect((await get()).body[field]).toBe(value);
    }
    for (const value of [least - 1, most + 1, 500.5, '500', null]) {
      expect((await put(value)).body.errors).toMatchObject([{ location: `body.${field}` }]);
    }
    const document = await api.call('GET', '/api/openapi.json');
    expect(document.text).toContain(`"minimum":${least},"maximum":${most}`);
  });
});
