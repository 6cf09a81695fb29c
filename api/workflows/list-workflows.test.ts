import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actorId } from '../../domain/actors/actors.ts';
import { type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';

let api: RunningApi;
let ours: Seeded;

beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
});
afterAll(() => api.close());

const as = () => ({ as: ours.tokens.admin });
const list = async () => {
  const answered = await api.call('GET', '/api/v1/workflows', as());
  expect(answered.status, answered.text).toBe(200);
  return answered.body.items as Record<string, unknown>[];
};

test('stuck ones come first, then those that go on, then those that are over; page by page, and by kind and state', async () => {
  const theirs = await seed(api.database);
  const { kysely } = api.database;
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
  const ids: Record<string, string> = {};
  const cluster = async (name: string, minute: number, more: object = {}, organizationId = theirs.organizationId) => {
    const id = uuid();
    ids[name] = id;
    const row = { id, organization_id: organizationId, name, slug: name, created_at: at(minute), ...more };
    await kysely.insertInto('cluster').values(row).execute();
    return { id, organizationId };
  };
  const update = async (name: string, clusterId: string, createdAt: Date, finishedAt: Date | null) => {
    const id = uuid();
    ids[name] = id;
    const by = { requested_by_kind: 'user', requested_by_id: 'u', requested_by_name: 'Ada' } as const;
    const row = { id, cluster_id: clusterId, kind: 'update', from_image: 'a', to_image: 'b', ...by } as const;
    await kysely
      .insertInto('agent_update')
      .values({ ...row, organization_id: theirs.organizationId, created_at: createdAt, finished_at: finishedAt })
      .execute();
  };
  await cluster('old', 1);
  await cluster('new', 9);
  const blocked = await cluster('blocked', 2, { blocker: 'It fails.' });
  const untold = await cluster('untold', 3);
  await cluster('deleted', 8, { state: 'deleted', finished_at: at(20) });
  await update('hanging', blocked.id, at(4), null);
  await update('done', blocked.id, at(5), at(6));
  await update('fresh', untold.id, new Date(), null);
  await kysely
    .insertInto('outbox')
    .values({
      actor_id: actorId('cluster', untold.id),
      organization_id: theirs.organizationId,
      kind: 'message',
      message: 'lost',
      body: {},
      author: {},
      created_at: at(3),
      next_attempt_at: new Date(Date.UTC(2100, 0, 1)),
    })
    .execute();
  const named = async (query: string) => {
    const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
    const found: (string | undefined)[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await api.call('GET', `/api/v1/workflows?limit=2${query}${cursor}`, { as: theirs.tokens.admin });
      found.push(...(body.items as { id: string }[]).map(({ id }) => names.get(id)));
      if (body.nextCursor === undefined) return found;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };
  expect(await named('')).toEqual(['hanging', 'untold', 'blocked', 'fresh', 'new', 'old', 'deleted', 'done']);
  expect(await named('&state=open&kind=cluster')).toEqual(['untold', 'blocked', 'new', 'old']);
  expect(await named('&state=over')).toEqual(['deleted', 'done']);
  expect(await named('&stuck=true')).toEqual(['hanging', 'untold', 'blocked']);
  expect(await named('&stuck=true&state=over')).toEqual([]);
  const { body } = await api.call('GET', `/api/v1/workflows`, { as: theirs.tokens.admin });
  expect((body.items as object[]).slice(0, 3)).toMatchObject([
    { kind: 'agent-update', name: 'blocked', subjectId: blocked.id, stuck: true, open: true, state: 'requested' },
    { name: 'untold', stuck: true, blocker: expect.stringContaining('have not been delivered') },
    { name: 'blocked', stuck: true, blocker: 'It fails.', actorId: `cluster/${blocked.id}` },
  ]);
  // Nobody else's, whoever asks for it.
  expect((await list()).map(({ id }) => id)).not.toContain(blocked.id);
  for (const path of [blocked.id, `${blocked.id}/history`]) {
    expect((await api.call('GET', `/api/v1/workflows/${path}`, as())).status).toBe(404);
  }
});
