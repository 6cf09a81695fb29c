import { describe, expect, test } from 'vitest';
import { removeMember } from '../../db/members/members.ts';
import { disableUser, enableUser } from '../../db/users/users.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { renewedApi } from '../../test/api/own-api.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { membership } from '../../test/identity/membership.ts';
import type { Call } from '../../test/installation/running-api.ts';

const { api, ours } = await renewedApi();

const { join, change, remove, invite, recorded, makeToken } = membership(() => ({ api, ours }));

describe('the tokens of a member', () => {
  const makeTeam = (as: Call['as']) => api.as(as).post('/teams', { name: crypto.randomUUID() });

  test('end with its membership, which says which they are before and after, and invite nobody back', async () => {
    const bob = await join('admin');
    const [as, other] = [await makeToken(bob, 'deploys'), await makeToken(await join('admin'), 'stays')];
    const stream = await readStream(api, '/api/v1/events/stream', as);
    const live = `/api-tokens?live=true&createdBy=${bob.userId}`;
    const before = await ours.sessions.admin.get(live);
    expect(before.body.items).toMatchObject([{ id: as.id, name: 'deploys' }]);
    const removed = await remove(bob.userId, ours.sessions.admin);
    expect(removed.body.endedTokens).toEqual([{ id: as.id, name: 'deploys' }]);
    expectProblem(await invite(bob.email, as), 403, 'was revoked');
    await until('its stream is closed', async () => stream.ended());
    expect((await api.as(other).get('/teams')).status).toBe(200);
    expect(await recorded(bob.userId)).toMatchObject([
      { action: 'member.removed', details: { role: 'admin', endedTokens: ['deploys'] } },
    ]);
    // To come back does not bring them back.
    await api.rows.add('membership', { organization_id: ours.organizationId, user_id: bob.userId, role: 'admin' });
    expect((await api.as(as).get('/teams')).status).toBe(403);
  });

  test('may never do more than it may itself', async () => {
    const bob = await join('admin');
    const as = await makeToken(bob, 'deploys');
    const stream = await readStream(api, '/api/v1/events/stream', as);
    expect((await makeTeam(as)).status).toBe(201);
    expect((await change(bob.userId, 'viewer', ours.sessions.owner)).status).toBe(200);
    expectProblem(await makeTeam(as), 403, 'is viewer');
    await until('its stream is closed', async () => stream.ended());
    expect((await api.as(as).get('/teams')).status).toBe(200);
    await change(bob.userId, 'admin', ours.sessions.owner);
    expect((await makeTeam(as)).status).toBe(201);
  });

  test('are refused while it is disabled', async () => {
    const bob = await join('admin');
    const as = await makeToken(bob, 'deploys');
    const stream = await readStream(api, '/api/v1/events/stream', as);
    const user = { id: bob.userId, name: bob.name };
    await api.effect((disabling) => disableUser(disabling, user));
    expectProblem(await makeTeam(as), 403, 'is disabled');
    await until('its stream is closed', async () => stream.ended());
    await api.effect((enabling) => enableUser(enabling, user));
    expect((await makeTeam(as)).status).toBe(201);
  });

  test('change nothing about members once it was removed, though the request waited since before', async () => {
    const bob = await join('admin');
    const as = await makeToken(bob, 'invites');
    let answer: ReturnType<typeof invite> | undefined;
    await api.effect(async (removing) => {
      await removeMember(removing, { organizationId: ours.organizationId, userId: bob.userId, asRole: 'owner' });
      answer = invite(bob.email, as);
      await until('it waits', async () => (await lockWaiters(api.database)) > 0);
    });
    const refused = await answer;
    expect([refused?.status, refused?.body.detail]).toEqual([403, expect.stringContaining('no longer valid')]);
  });
});
