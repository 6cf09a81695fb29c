import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../db/postgres/json.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { seedMember } from '../../test/seeds/seed.ts';

/** On which the workloads are. */

const { api, ours } = await ownApi();
const clusterId = await seedCluster('home of workloads');

const names = ['Ångström one', 'Ångström two', 'pilot', '100% done', '100 done', 'p_lot', 'İzmir', 'Ångström three'];

async function seedCluster(name: string): Promise<string> {
  const row = { id: uuid(), organization_id: ours.organizationId };
  await api.rows.add('cluster', { ...row, name, slug: row.id });
  await api.rows.add('cluster_agent', { cluster_id: row.id, organization_id: row.organization_id });
  return row.id;
}

async function seedInvitation(email: string): Promise<void> {
  await api.rows.add('invitation', {
    ...{ id: uuid(), organization_id: ours.organizationId, email, role: 'viewer', token_hash: randomBytes(32) },
    ...{ invited_by_id: 'u', invited_by_name: 'Ada', expires_at: new Date(Date.now() + 86_400_000) },
  });
}

async function seedWorkload(name: string): Promise<void> {
  const row = { cluster_id: clusterId, key: `workload/${uuid()}`, organization_id: ours.organizationId };
  const workload = sql<JsonObject>`'{"image":{"layout":"/srv/app"},"processes":[]}'::jsonb`;
  await api.rows.add('cluster_slice', { ...row, name, revision: 1, workload });
}

const post = async (path: string, body: object) => {
  ok(await ours.sessions.owner.post(path, body), 201);
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
    make: (name) => ours.member('viewer', name),
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
    const answer = await ours.tokens.admin.get(`${list.path()}?${new URLSearchParams(query)}`);
    return answer;
  };
  const found = async (query: Record<string, string>) => {
    const body = ok(await asked(query));
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
  expectProblem(await asked({ q: 'x'.repeat(300) }), 422, [{ location: 'query.q' }]);

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
    return ok(await api.as(tokens.admin).get(`${path}?q=${encodeURIComponent(q)}`)).items as Record<string, string>[];
  };
  const userId = await seedMember(api.database, organizationId, 'viewer', 'Grace Hopper');
  const members = async (q: string) => (await items(ofOrganization('members'), q)).map((member) => member.userId);
  expect(await members(`HOPPER ${userId}@example`)).toEqual([userId]);
  expect(await members('grace compilers')).toEqual([]);
  const team = await api.as(sessions.owner).post('/teams', { name: 'Compilers' });
  const added = { as: sessions.owner, body: { add: [userId] } };
  expect((await api.call('PATCH', `/api/v1/teams/${team.body.id}/members`, added)).status).toBe(200);
  expect(await members('grace compilers')).toEqual([userId]);

  const [token] = await items('/api-tokens', 'admin');
  expect(await items('/api-tokens', String(token?.tokenId))).toEqual([token]);
  expect((await items('/workflows', `cluster ${clusterId}`)).map(({ id }) => id)).toEqual([clusterId]);
  const theirs = await api.organization();
  expect((await theirs.tokens.admin.get('/teams?q=compilers')).body).toMatchObject({ items: [] });
});
