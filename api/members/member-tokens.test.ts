import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { removeMember } from '../../db/members/members.ts';
import { disableUser, enableUser } from '../../db/users/users.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { readStream } from '../../test/ground/read-stream.ts';
import { until } from '../../test/ground/until.ts';
import { membership } from '../../test/identity/membership.ts';
import { type Call, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { machine } from '../../test/seeds/seed.ts';

let ours: Seeded;

const api = await runningApi();
beforeEach(async () => {
  ours = await seed(api.database);
});
afterAll(() => api.close());

const { join, change, remove, invite, recorded, makeToken } = membership(() => ({ api, ours }));

describe('the tokens of a member', () => {
  const makeTeam = (as: Call['as']) => api.call('POST', '/api/v1/teams', { as, body: { name: crypto.randomUUID() } });

  test('end with its membership, which says which they are before and after, and invite nobody back', async () => {
    const bob = await join('admin');
    const [as, other] = [await makeToken(bob, 'deploys'), await makeToken(await join('admin'), 'stays')];
    const stream = await readStream(api, '/api/v1/events/stream', as);
    const live = `/api/v1/api-tokens?live=true&createdBy=${bob.userId}`;
    const before = await api.call('GET', live, { as: ours.sessions.admin });
    expect(before.body.items).toMatchObject([{ id: as.id, name: 'deploys' }]);
    const removed = await remove(bob.userId, ours.sessions.admin);
    expect(removed.body.endedTokens).toEqual([{ id: as.id, name: 'deploys' }]);
    const invited = await invite(bob.email, as);
    expect([invited.status, invited.body.detail]).toEqual([403, expect.stringContaining('was revoked')]);
    await until('its stream is closed', async () => stream.ended());
    expect((await api.call('GET', '/api/v1/teams', { as: other })).status).toBe(200);
    expect(await recorded(bob.userId)).toMatchObject([
      { action: 'member.removed', details: { role: 'admin', endedTokens: ['deploys'] } },
    ]);
    // To come back does not bring them back.
    await api.database.kysely
      .insertInto('membership')
      .values({ organization_id: ours.organizationId, user_id: bob.userId, role: 'admin' })
      .execute();
    expect((await api.call('GET', '/api/v1/teams', { as })).status).toBe(403);
  });

  test('may never do more than it may itself', async () => {
    const bob = await join('admin');
    const as = await makeToken(bob, 'deploys');
    const stream = await readStream(api, '/api/v1/events/stream', as);
    expect((await makeTeam(as)).status).toBe(201);
    expect((await change(bob.userId, 'viewer', ours.sessions.owner)).status).toBe(200);
    const refused = await makeTeam(as);
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('is viewer')]);
    await until('its stream is closed', async () => stream.ended());
    expect((await api.call('GET', '/api/v1/teams', { as })).status).toBe(200);
    await change(bob.userId, 'admin', ours.sessions.owner);
    expect((await makeTeam(as)).status).toBe(201);
  });

  test('are refused while it is disabled', async () => {
    const bob = await join('admin');
    const as = await makeToken(bob, 'deploys');
    const stream = await readStream(api, '/api/v1/events/stream', as);
    const user = { id: bob.userId, name: bob.name };
    await effect(api.database, machine, (disabling) => disableUser(disabling, user));
    const refused = await makeTeam(as);
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('is disabled')]);
    await until('its stream is closed', async () => stream.ended());
    await effect(api.database, machine, (enabling) => enableUser(enabling, user));
    expect((await makeTeam(as)).status).toBe(201);
  });

  test('change nothing about members once it was removed, though the request waited since before', async () => {
    const bob = await join('admin');
    const as = await makeToken(bob, 'invites');
    let answer: ReturnType<typeof invite> | undefined;
    await effect(api.database, machine, async (removing) => {
      await removeMember(removing, { organizationId: ours.organizationId, userId: bob.userId, asRole: 'owner' });
      answer = invite(bob.email, as);
      await until('it waits', async () => (await lockWaiters(api.database)) > 0);
    });
    const refused = await answer;
    expect([refused?.status, refused?.body.detail]).toEqual([403, expect.stringContaining('no longer valid')]);
  });
});
