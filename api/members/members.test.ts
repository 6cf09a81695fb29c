import { beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '../../domain/roles.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { renewedApi } from '../../test/api/own-api.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { until } from '../../test/ground/until.ts';
import { membership } from '../../test/identity/membership.ts';
import type { SignedIn } from '../../test/identity/people.ts';
import type { Call } from '../../test/installation/running-api.ts';

let path: string;

let { api, ours } = await renewedApi();
beforeEach(async () => {
  path = `/api/v1/organizations/${ours.organizationId}/members`;
});

const { join, change, remove, leave, invite, recorded, makeToken } = membership(() => ({ api, ours }));
const update = (body: object, as: Call['as']) => api.as(as).patch(`/organizations/${ours.organizationId}`, body);
async function setRole(userId: string, role: Role, kysely = api.database.kysely): Promise<void> {
  await kysely.updateTable('membership').set({ role }).where('user_id', '=', userId).execute();
}

describe('GET /organizations/{id}/members', () => {
  test('pages hold every member once, with teams, in the order they came', async () => {
    const bob = await join('deployer', 'Bob');
    const active = new Date('2026-01-01T00:00:00Z');
    await api.rows.set('membership', { user_id: bob.userId }, { last_active_at: active });
    await api.rows.set('app_user', { id: bob.userId }, { picture: 'https://example.com/bob.png', mfa: true });
    const team = await ours.tokens.admin.post('/teams', { name: 'Ops' });
    await ours.tokens.admin.put(`/teams/${team.body.id}/members`, { userIds: [bob.userId] });
    const seen: { userId: string }[] = [];
    let cursor: unknown;
    do {
      const query: string = cursor === undefined ? '' : `&cursor=${cursor}`;
      const { body } = await api.call('GET', `${path}?limit=2${query}`, { as: ours.tokens.viewer });
      if (Array.isArray(body.items)) seen.push(...body.items);
      cursor = body.nextCursor;
    } while (cursor !== undefined);
    const { viewer, deployer, admin, owner } = ours.sessions;
    expect(seen.map(({ userId }) => userId)).toEqual([
      ...[viewer, deployer, admin, owner].map(({ userId }) => userId),
      bob.userId,
    ]);
    expect(seen.at(-1)).toEqual({
      userId: bob.userId,
      name: 'Bob',
      email: bob.email,
      picture: 'https://example.com/bob.png',
      role: 'deployer',
      mfa: true,
      createdAt: expect.stringMatching(/Z$/),
      lastActiveAt: active.toISOString(),
      teams: [{ id: team.body.id, name: 'Ops' }],
    });
    expect(seen[0]).not.toHaveProperty('picture');
    expect((await api.call('GET', `${path}/${bob.userId}`, { as: ours.tokens.viewer })).body).toMatchObject({
      userId: bob.userId,
    });
  });

  test('a member of another organization is 404', async () => {
    const theirs = await api.organization();
    const { userId } = theirs.sessions.viewer;
    expectProblem(await api.call('GET', `${path}/${userId}`, { as: ours.sessions.owner }), 404, 'no such member');
  });
});

describe('PATCH /organizations/{id}/members/{userId}', () => {
  test('200 with the new role, which holds at once and is recorded', async () => {
    const bob = await join('viewer', 'Bob');
    const answered = await change(bob.userId.toUpperCase(), 'admin', ours.tokens.admin);
    expect([answered.status, answered.body.role]).toEqual([200, 'admin']);
    expect((await invite('x@example.com', bob.in(ours.organizationId))).status).toBe(201);
    expect(await recorded(bob.userId)).toMatchObject([
      { action: 'member.role_changed', subject_name: 'Bob', details: { from: 'viewer', to: 'admin' } },
    ]);
    const hints = await api.rows.all('change_feed', { subject_id: bob.userId });
    expect(hints.map(({ kind }) => kind).sort()).toEqual(['credential.changed', 'member']);
    // The same role again is no change.
    expect((await change(bob.userId, 'admin', ours.tokens.admin)).status).toBe(200);
    expect(await recorded(bob.userId)).toHaveLength(1);
  });

  test('only an owner makes an owner or unmakes one', async () => {
    const bob = await join('viewer');
    for (const as of [ours.tokens.admin, ours.sessions.admin]) {
      for (const [userId, role] of [
        [bob.userId, 'owner'],
        [ours.sessions.owner.userId, 'viewer'],
      ] as const) {
        expectProblem(await change(userId, role, as), 403, 'Only an owner decides about owners');
      }
      expect((await remove(ours.sessions.owner.userId, as)).status).toBe(403);
    }
    expect((await change(bob.userId, 'owner', ours.sessions.owner)).body.role).toBe('owner');
    expect((await change(ours.sessions.owner.userId, 'viewer', bob.in(ours.organizationId))).status).toBe(200);
  });
});

test('who lost the role while the request waited for its turn is refused', async () => {
  const bob = await join('owner');
  const eve = await join('viewer');
  const asBob = bob.in(ours.organizationId);
  const tries = [
    () => change(eve.userId, 'owner', asBob),
    () => remove(eve.userId, asBob),
    () => update({ name: 'Mine' }, asBob),
    () => invite('mallory@example.com', asBob),
  ];
  for (const attempt of tries) {
    let answer: ReturnType<typeof change> | undefined;
    await setRole(bob.userId, 'owner');
    await api.effect(async ({ kysely }) => {
      await kysely
        .selectFrom('organization')
        .select('id')
        .where('id', '=', ours.organizationId)
        .forNoKeyUpdate()
        .execute();
      await setRole(bob.userId, 'viewer', kysely);
      answer = attempt();
      await until('it waits', async () => (await lockWaiters(api.database)) > 0);
    });
    const refused = await answer;
    expect([refused?.status, refused?.body.detail]).toEqual([403, expect.stringContaining('viewer')]);
  }
});

describe('the last owner', () => {
  test('cannot be demoted, cannot be removed and cannot leave', async () => {
    const { owner } = ours.sessions;
    for (const refused of [
      await change(owner.userId, 'admin', owner),
      await remove(owner.userId, owner),
      await leave(owner),
    ]) {
      expect(refused.status).toBe(409);
      expect(refused.body.detail).toMatch(
        /^The last owner of an organization has to .*make another member owner first/,
      );
    }
    expect(await recorded(owner.userId)).toEqual([]);
  });

  test('a disabled account is no owner that counts', async () => {
    const bob = await join('owner');
    await api.rows.set('app_user', { id: bob.userId }, { disabled_at: new Date() });
    expect((await leave(ours.sessions.owner)).status).toBe(409);
    // The disabled one may go: an owner who can act stays.
    expect((await remove(bob.userId, ours.sessions.owner)).status).toBe(200);
  });

  test('of two who leave at once, one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      ours = await api.organization();
      const bob = await join('owner');
      const statuses = await Promise.all([leave(ours.sessions.owner), leave(bob.in(ours.organizationId))]);
      expect(statuses.map(({ status }) => status).sort()).toEqual([204, 409]);
    }
  });
});

describe('going', () => {
  test('whoever is removed is out of the teams and is refused', async () => {
    const bob = await join('viewer');
    const team = await ours.tokens.admin.post('/teams', { name: 'Ops' });
    const members = `/teams/${team.body.id}/members`;
    await ours.tokens.admin.put(members, { userIds: [bob.userId] });
    expect(await remove(bob.userId, ours.tokens.admin)).toMatchObject({ status: 200, body: { endedTokens: [] } });
    expect((await ours.tokens.viewer.get('/teams')).body).toMatchObject({ items: [{ members: [] }] });
    expect((await api.as(bob.in(ours.organizationId)).get('/teams')).status).toBe(403);
    expect((await remove(bob.userId, ours.tokens.admin)).status).toBe(404);
    expect(await recorded(bob.userId)).toMatchObject([{ action: 'member.removed', details: { role: 'viewer' } }]);
  });

  test('to leave, and to remove oneself, is to leave; tokens that one made end', async () => {
    for (const [status, go] of [
      [204, (who: SignedIn) => leave(who.in(ours.organizationId))],
      [200, (who: SignedIn) => remove(who.userId, who.in(ours.organizationId))],
    ] as const) {
      const bob = await join('admin');
      const as = await makeToken(bob, 'deploys');
      expect((await api.as(as).get('/teams')).status).toBe(200);
      expect((await go(bob)).status).toBe(status);
      expect(await recorded(bob.userId)).toMatchObject([{ action: 'member.left', actor_id: bob.userId }]);
      expect((await api.as(as).get('/teams')).status).toBe(403);
    }
  });

  test('a token cannot leave, and is told what to do', async () => {
    expectProblem(await leave(ours.tokens.admin), 403, 'revoke it instead');
  });
});
