import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { ok } from '../../test/api/client.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { type Credential, seedToken } from '../../test/installation/running-api.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';
import type { AgentUpdateState } from '../../workflows/agent-update/descriptor.ts';

const { api, ours } = await ownApi();

const as = () => ({ as: ours.tokens.admin });
const list = async () => {
  return ok(await api.call('GET', '/api/v1/workflows', as())).items as Record<string, unknown>[];
};

/** As the deed that started the workflow leaves it. */
async function request(organizationId: string, workflowId: string, id: string): Promise<void> {
  const author = { kind: 'user', id, name: 'Ada', requestId: 'r-1' } as const;
  await effect(api.database, author, async (began) => {
    began.audit('cluster.created', { organizationId, id: workflowId, workflowId });
  });
}

test('the newest come first; page by page, and by kind, life, state, end, subject, person and time', async () => {
  const theirs = await api.organization();
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
  const ids: Record<string, string> = {};
  const cluster = async (name: string, minute: number, more: object = {}, organizationId = theirs.organizationId) => {
    const id = uuid();
    ids[name] = id;
    const row = { id, organization_id: organizationId, name, slug: name, created_at: at(minute), ...more };
    await api.rows.add('cluster', row);
    return { id, organizationId };
  };
  const update = async (
    name: string,
    clusterId: string,
    createdAt: Date,
    finishedAt: Date | null,
    state: AgentUpdateState = 'requested',
  ) => {
    const id = uuid();
    ids[name] = id;
    const by = { requested_by_kind: 'user', requested_by_id: 'u', requested_by_name: 'Ada' } as const;
    const row = { id, cluster_id: clusterId, kind: 'update', from_image: 'a', to_image: 'b', ...by } as const;
    await api.rows.add('agent_update', {
      ...row,
      organization_id: theirs.organizationId,
      state,
      created_at: createdAt,
      finished_at: finishedAt,
    });
  };
  await cluster('old', 1);
  await cluster('new', 9);
  const blocked = await cluster('blocked', 2, { blocker: 'It fails.' });
  const untold = await cluster('untold', 3);
  await cluster('deleted', 8, { state: 'deleted', finished_at: at(20) });
  await update('hanging', blocked.id, at(4), null);
  await update('done', blocked.id, at(5), at(6), 'returned');
  await update('fresh', untold.id, new Date(), null);
  await api.rows.add('outbox', {
    actor_id: actorId('cluster', untold.id),
    organization_id: theirs.organizationId,
    kind: 'message',
    message: 'lost',
    body: {},
    author: {},
    created_at: at(3),
    next_attempt_at: new Date(Date.UTC(2100, 0, 1)),
  });
  const named = async (query: string) => {
    const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
    const found: (string | undefined)[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await theirs.tokens.admin.get(`/workflows?limit=2${query}${cursor}`);
      found.push(...(body.items as { id: string }[]).map(({ id }) => names.get(id)));
      if (body.nextCursor === undefined) return found;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };
  await request(theirs.organizationId, ids.hanging ?? '', 'ada');
  await request(theirs.organizationId, ids.old ?? '', 'grace');
  expect(await named('')).toEqual(['fresh', 'new', 'deleted', 'done', 'hanging', 'untold', 'blocked', 'old']);
  expect(await named('&state=open&kind=cluster')).toEqual(['new', 'untold', 'blocked', 'old']);
  expect(await named('&state=over')).toEqual(['deleted', 'done']);
  expect(await named('&stuck=true')).toEqual(['hanging', 'untold', 'blocked']);
  expect(await named('&lives=once')).toEqual(['fresh', 'done', 'hanging']);
  expect(await named('&lives=for-ever')).toEqual(['new', 'deleted', 'untold', 'blocked', 'old']);
  expect(await named('&outcome=failed')).toEqual(['done']);
  expect(await named('&outcome=succeeded')).toEqual(['deleted']);
  expect(await named(`&subjectId=${blocked.id}`)).toEqual(['done', 'hanging', 'blocked']);
  expect(await named('&requestedBy=ada')).toEqual(['hanging']);
  expect(await named('&requestedBy=grace')).toEqual(['old']);
  // Of these no record of the audit log tells; their rows do.
  expect(await named('&requestedBy=u')).toEqual(['fresh', 'done', 'hanging']);
  // At work between the two times, whenever it started.
  expect(await named('&lives=for-ever&from=2026-01-01T00:10:00Z&until=2026-01-01T00:09:00Z')).toEqual([
    ...['deleted', 'untold', 'blocked', 'old'],
  ]);
  expect(await named('&outcome=failed&from=2026-01-01T00:06:00Z')).toEqual(['done']);
  expect(await named('&outcome=failed&from=2026-01-01T00:06:01Z')).toEqual([]);
  expect(await named('&stuck=true&state=over')).toEqual([]);
  const done = await theirs.tokens.admin.get(`/workflows/${ids.done}`);
  expect(done.body.requestedBy).toEqual({ kind: 'user', id: 'u', name: 'Ada' });
  const { body } = await theirs.tokens.admin.get('/workflows?stuck=true');
  expect(body.items).toMatchObject([
    {
      ...{ kind: 'agent-update', title: 'Agent update: blocked', name: 'blocked', subjectKind: 'cluster' },
      ...{ subjectId: blocked.id, stuck: true, open: true, state: 'requested', stateTitle: 'Requested', tone: 'live' },
      ...{ lives: 'once', outcome: 'running', release: 'b', requestedBy: { kind: 'user', id: 'ada', name: 'Ada' } },
    },
    { name: 'untold', stuck: true, blocker: expect.stringContaining('have not been delivered') },
    { name: 'blocked', stuck: true, blocker: 'It fails.', actorId: `cluster/${blocked.id}` },
  ]);
  // Nobody else's, whoever asks for it.
  expect((await list()).map(({ id }) => id)).not.toContain(blocked.id);
  for (const path of [blocked.id, `${blocked.id}/history`]) {
    expect((await api.call('GET', `/api/v1/workflows/${path}`, as())).status).toBe(404);
  }
});

test('each reads the workflows of what it may see, and no others exist for it', async () => {
  const { organizationId, tokens, sessions, limited } = ours;
  const { kysely } = api.database;
  const { clusterId: cluster, projectId, environmentId, serviceId } = await seedPlace(api.database, organizationId);
  const [update, deletion, deployment, changeSet, build] = [uuid(), uuid(), uuid(), uuid(), uuid()];
  const by = { requested_by_kind: 'user', requested_by_id: 'u', requested_by_name: 'Ada' } as const;
  await api.rows.add('agent_update', {
    id: update,
    organization_id: organizationId,
    cluster_id: cluster,
    kind: 'update',
    from_image: 'a',
    to_image: 'b',
    ...by,
  });
  const restored = { state: 'restored', finished_at: new Date(), restore_until: new Date() } as const;
  await api.rows.add('deletion', {
    id: deletion,
    organization_id: organizationId,
    kind: 'organization',
    name: 'Ours',
    slug: 'o',
    ...by,
    ...restored,
  });
  const place = { project_id: projectId, environment_id: environmentId };
  const ofService = { ...place, service_id: serviceId };
  await tenantRow(api.database, 'release', organizationId, ofService);
  await tenantRow(api.database, 'deployment', organizationId, {
    ...{ ...ofService, ...by, id: deployment, state: 'live', finished_at: new Date() },
  });
  await tenantRow(api.database, 'change_set', organizationId, { ...place, ...by, id: changeSet });
  await tenantRow(api.database, 'build', organizationId, { ...ofService, ...by, id: build });
  const all = { cluster, 'agent-update': update, deletion, deployment, 'change-set': changeSet, build };
  type Kind = keyof typeof all;
  const ofAll: Kind[] = ['cluster', 'agent-update', 'deployment', 'change-set', 'build'];
  const readers: [Credential, Kind[]][] = [
    [tokens.viewer, ofAll],
    [tokens.deployer, ofAll],
    [sessions.viewer, ofAll],
    [tokens.admin, [...ofAll, 'deletion']],
    [sessions.owner, [...ofAll, 'deletion']],
    [limited, ['cluster']],
    // Not even those of its own project.
    [await seedToken(api.database, organizationId, 'admin', [projectId]), ['cluster']],
  ];
  for (const [as, kinds] of readers) {
    const { body } = await api.as(as).get('/workflows');
    expect((body.items as { kind: string }[]).map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
    for (const [kind, id] of Object.entries(all)) {
      const readable = kinds.some((one) => one === kind);
      const answered = await api.as(as).get(`/workflows/${id}`);
      expect([kind, answered.status]).toEqual([kind, readable ? 200 : 404]);
      if (!readable) expect((await api.as(as).get(`/workflows/${id}/history`)).status).toBe(404);
      const narrowed = await api.as(as).get(`/workflows?kind=${kind}`);
      expect((narrowed.body.items as object[]).length).toBe(readable ? 1 : 0);
    }
  }

  // Of none of them the audit log tells who requested it.
  const { body } = await api.as(tokens.admin).get('/workflows?requestedBy=u');
  const told = Object.fromEntries((body.items as { kind: string }[]).map(({ kind, ...one }) => [kind, one]));
  const requestedBy = { kind: 'user', id: 'u', name: 'Ada' };
  const project = await tenant(kysely, organizationId)
    .selectFrom('project')
    .select('name')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const of = new RegExp(` of ${project.name}$`);
  expect(told).toEqual({
    'agent-update': expect.objectContaining({ requestedBy }),
    deletion: expect.objectContaining({ requestedBy, title: 'Deletion of Ours' }),
    deployment: expect.objectContaining({ requestedBy, title: expect.stringMatching(of), stateTitle: 'Went live' }),
    'change-set': expect.objectContaining({ requestedBy, title: expect.stringMatching(of) }),
    build: expect.objectContaining({ requestedBy, title: expect.stringMatching(of) }),
  });
});
