import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { notify } from '../../db/notifications/notify.ts';
import { clusterLost } from '../../domain/notifications/messages.ts';
import { renewedApi } from '../../test/api/own-api.ts';
import type { Credential } from '../../test/installation/running-api.ts';

let { api, ours } = await renewedApi();

/** An event that all admins hear of. */
async function happen(name: string): Promise<void> {
  const { organizationId } = ours;
  await api.effect((telling) =>
    notify(telling, {
      organizationId,
      occasion: name,
      message: clusterLost({ clusterId: uuid(), name }),
      to: { admins: true },
    }),
  );
}

async function inbox(as: Credential, query = '') {
  const answered = await api.as(as).get(`/notifications${query}`);
  expect(answered.status, answered.text).toBe(200);
  return answered.body as {
    items: { id: string; title: string; readAt?: string; link: object }[];
    nextCursor?: string;
    unreadCount: number;
  };
}
const read = (as: Credential, body: unknown) => api.as(as).post('/notifications/read', body);
const names = (page: { items: { title: string }[] }) => page.items.map(({ title }) => title.split(' ')[1]);

test('the newest come first, page by page, and the count is of all that is unread', async () => {
  const { admin } = ours.sessions;
  for (const name of ['one', 'two', 'three']) await happen(name);
  const first = await inbox(admin, '?limit=2');
  expect([names(first), first.unreadCount]).toEqual([['three', 'two'], 3]);
  expect(first.items[0]).toMatchObject({ kind: 'warning', link: { type: 'cluster' }, createdAt: expect.any(String) });
  const second = await inbox(admin, `?limit=2&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
  expect([names(second), second.nextCursor, second.unreadCount]).toEqual([['one'], undefined, 3]);
});

test('each person reads their own: one by one, or all', async () => {
  const { admin, owner } = ours.sessions;
  for (const name of ['one', 'two', 'three']) await happen(name);
  const [newest] = (await inbox(admin)).items;
  expect((await read(admin, { ids: [newest?.id] })).body).toMatchObject({ unreadCount: 2, updated: 1 });
  expect((await read(admin, { ids: [newest?.id] })).body).toMatchObject({ unreadCount: 2, updated: 0 });
  expect(names(await inbox(admin, '?unread=true'))).toEqual(['two', 'one']);
  expect((await inbox(admin)).items.map(({ readAt }) => readAt !== undefined)).toEqual([true, false, false]);
  // Another one's is nobody's: nothing tells whether there is such a notification.
  const foreign = (await inbox(owner)).items.map(({ id }) => id);
  expect((await read(admin, { ids: foreign })).body).toMatchObject({ unreadCount: 2, updated: 0 });
  expect((await read(admin, { all: true })).body).toMatchObject({ unreadCount: 0, updated: 2 });
  expect((await inbox(owner)).unreadCount).toBe(3);
});

test('a token has no inbox, and a body that says neither which nor all is refused', async () => {
  for (const answered of [
    await ours.tokens.admin.get('/notifications'),
    await read(ours.tokens.admin, { all: true }),
  ]) {
    expect([answered.status, answered.body.detail]).toEqual([
      403,
      expect.stringContaining('An API token has no inbox'),
    ]);
  }
  for (const body of [{}, { all: false }, { ids: [] }, { ids: ['x'] }, { all: true, ids: [uuid()] }]) {
    expect((await read(ours.sessions.admin, body)).status).toBe(422);
  }
});

test('who is of two organizations has an inbox in each', async () => {
  await happen('here');
  const before = ours;
  ours = await api.organization();
  await happen('there');
  expect(names(await inbox(before.sessions.admin))).toEqual(['here']);
  expect(names(await inbox(ours.sessions.admin))).toEqual(['there']);
});
