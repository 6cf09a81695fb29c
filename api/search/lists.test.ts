import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import type { JsonObject } from '../../db/postgres/json.ts';
import { runningApi, seed } from '../../test/installation/running-api.ts';
import { seedMember } from '../../test/seeds/seed.ts';

/** On which the workloads are. */

const api = await runningApi();
const ours = await seed(api.database);
const clusterId = await seedCluster('home of workloads');
afterAll(() => api.close());

const names = ['Ångström one', 'Ångström two', 'pilot', '100% done', '100 done', 'p_lot', 'İzmir', 'Ångström three'];

async function seedCluster(name: string): Promise<string> {
  const row = { id: uuid(), organization_id: ours.organizationId };
  await api.database.kysely
    .insertInto('cluster')
    .values({ ...row, name, slug: row.id })
    .execute();
  await api.database.kysely
    .insertInto('cluster_agent')
    .values({ cluster_id: row.id, organization_id: row.organization_id })
    .execute();
  return row.id;
}

async function seedInvitation(email: string): Promise<void> {
  await api.database.kysely
    .insertInto('invitation')
    .values({
      ...{ id: uuid(), organization_id: ours.organizationId, email, role: 'viewer', token_hash: randomBytes(32) },
      ...{ invited_by_id: 'u', invited_by_name: 'Ada', expires_at: new Date(Date.now() + 86_400_000) },
    })
    .execute();
}

async function seedWorkload(name: string): Promise<void> {
  const row = { cluster_id: clusterId, key: `workload/${uuid()}`, organization_id: ours.organizationId };
  const workload = sql<JsonObject>`'{"image":{"layout":"/srv/app"},"processes":[]}'::jsonb`;
  await api.database.kysely
    .insertInto('cluster_slice')
    .values({ ...row, name, revision: 1, workload })
    .execute();
}

const post = async (path: string, body: object) => {
  const answer = await api.call('POST', `/api/v1${path}`, { as: ours.sessions.owner, body });
  expect(answer.status, answer.text).toBe(201);
};
const rule = {
  ...{ issuer: 'https://token.actions.githubusercontent.com', audience: 'us', role: 'viewer' },
  claims: { repository: ['octo/app'] },
};
const ofOrganization = (path: string) => `/organizations/${ours.organizationId}/${path}`;

/** Each list: its address, how one with a name comes into it, and where its items have the name. */
const lists: Record<string, { path: () => string; make: (name: string) => Promise<unknown>; key: string }> = {
  members: {
    path: () => ofOrganization('members'),
    make: (name) => seedMember(api.database, ours.organizationId, 'viewer', name),
    key: 'name',
  },
  invitations: { path: () => ofOrganization('invitations'), make: seedInvitation, key: 'email' },
  teams: { path: () => '/teams', make: (name) => post('/teams', { name }), key: 'name' },
  'api-tokens': {
    path: () => '/api-tokens',
    make: (name) => post('/api-tokens', { name, role: 'viewer' }),
    key: 'name',
  },
  'trusted-issuers': {
    path: () => '/trusted-issuers',
    make: (name) => post('/trusted-issuers', { ...rule, name }),
    key: 'name',
  },
  clusters: { path: () => '/clusters', make: seedCluster, key: 'name' },
  workloads: { path: () => `/clusters/${clusterId}/workloads`, make: seedWorkload, key: 'name' },
  workflows: { path: () => '/workflows', make: async () => {}, key: 'name' },
};

test.each(Object.entries(lists))('%s are narrowed to those with each word, page by page', async (_, list) => {
  for (const name of names) await list.make(name);
  const asked = async (query: Record<string, string>) => {
    const answer = await api.call('GET', `/api/v1${list.path()}?${new URLSearchParams(query)}`, {
      as: ours.tokens.admin,
    });
    return answer;
  };
  const found = async (query: Record<string, string>) => {
    const { status, body, text } = await asked(query);
    expect(status, text).toBe(200);
    return {
      names: (body.items as Record<string, string>[]).map(({ [list.key]: name }) => name),
      next: body.nextCursor,
    };
  };
  const sought = async (q: string) => (await found({ q, limit: '200' })).names;

  const all = (await found({ limit: '200' })).names;
  expect(all).toEqual(expect.arrayContaining(names));
  const three = all.filter((name) => name?.startsWith('Ångström'));
  expect(three.length).toBe(3);
  expect(await sought('ångSTRÖM')).toEqual(three);
  expect(await sought('  THREE \u00a0 ång')).toEqual(['Ångström three']);
  expect(await sought('İz')).toEqual(['İzmir']);
  // Wildcards and their escape are letters.
  expect(await sought('%')).toEqual(['100% done']);
  expect(await sought('p_l')).toEqual(['p_lot']);
  expect(await sought('\\')).toEqual([]);
  expect(await sought('Ångström pilot')).toEqual([]);
  expect(await sought(' \t ')).toEqual(all);
  const long = await asked({ q: 'x'.repeat(300) });
  expect(long.status).toBe(422);
  expect(long.body.errors).toMatchObject([{ location: 'query.q' }]);

  const first = await found({ q: 'ång', limit: '2' });
  const cursor = String(first.next);
  expect(first.names).toEqual(three.slice(0, 2));
  expect(await found({ q: 'ång', limit: '2', cursor })).toEqual({ names: three.slice(2), next: undefined });
  for (const other of [{ q: 'pilot' }, {}]) {
    const refused = await asked({ ...other, limit: '2', cursor });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toMatchObject([{ location: 'query.cursor' }]);
  }
});

test('members are found by e-mail and by team, tokens by the id in their secret, workflows by title and id', async () => {
  const { organizationId, sessions, tokens } = ours;
  const items = async (path: string, q: string) => {
    const answer = await api.call('GET', `/api/v1${path}?q=${encodeURIComponent(q)}`, { as: tokens.admin });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.items as Record<string, string>[];
  };
  const userId = await seedMember(api.database, organizationId, 'viewer', 'Grace Hopper');
  const members = async (q: string) => (await items(ofOrganization('members'), q)).map((member) => member.userId);
  expect(await members(`HOPPER ${userId}@example`)).toEqual([userId]);
  expect(await members('grace compilers')).toEqual([]);
  const team = await api.call('POST', '/api/v1/teams', { as: sessions.owner, body: { name: 'Compilers' } });
  const added = { as: sessions.owner, body: { add: [userId] } };
  expect((await api.call('PATCH', `/api/v1/teams/${team.body.id}/members`, added)).status).toBe(200);
  expect(await members('grace compilers')).toEqual([userId]);

  const [token] = await items('/api-tokens', 'admin');
  expect(await items('/api-tokens', String(token?.tokenId))).toEqual([token]);
  expect((await items('/workflows', `cluster ${clusterId}`)).map(({ id }) => id)).toEqual([clusterId]);
  const theirs = await seed(api.database);
  const strangers = await api.call('GET', '/api/v1/teams?q=compilers', { as: theirs.tokens.admin });
  expect(strangers.body.items).toEqual([]);
});
