import { expect, test } from 'vitest';
import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import type { Organization } from '../../test/api/client.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { operation } from '../engine/operation.ts';
import { operations } from '../operations.ts';

const project = z.object({ id: z.guid() });
const [shop, wiki] = ['5b0cf2d6-6d0b-4f3a-8f0e-0c8f6e1a2b01', '5b0cf2d6-6d0b-4f3a-8f0e-0c8f6e1a2b02'];

/** Projects, the inbox and channels come with their subjects; what holds for tokens there is tested with these. */
const standIns = {
  listProjects: operation({
    method: 'GET',
    url: '/api/v1/stand-in/projects',
    summary: 'The projects that the caller sees',
    scope: 'organization',
    role: 'viewer',
    projectTokens: 'allowed',
    problems: [],
    result: z.object({ items: z.array(project) }),
    handle: async ({ caller }) => ({
      items: [shop, wiki].filter((id) => caller.seesProject(id)).map((id) => ({ id })),
    }),
  }),
  getProject: operation({
    method: 'GET',
    url: '/api/v1/stand-in/projects/{id}',
    summary: 'A project',
    scope: 'organization',
    role: 'viewer',
    projectTokens: 'allowed',
    problems: ['not-found'],
    path: z.strictObject({ id: z.guid() }),
    result: project,
    async handle({ caller, path }) {
      if (!caller.seesProject(path.id)) throw new Problem('not-found', 'There is no such project.');
      return { id: path.id };
    },
  }),
  readInbox: operation({
    method: 'GET',
    url: '/api/v1/stand-in/inbox',
    summary: 'The inbox of a person',
    scope: 'user',
    credentials: 'session',
    why: 'An API token has no inbox; sign in to read yours.',
    problems: [],
    result: z.object({ items: z.array(z.string()) }),
    handle: async () => ({ items: [] }),
  }),
  setChannel: operation({
    method: 'PUT',
    url: '/api/v1/stand-in/channel',
    summary: 'Where notifications go',
    scope: 'organization',
    role: 'admin',
    projectTokens: 'refused',
    problems: [],
    async handle() {},
  }),
};
const { api, ours } = await ownApi({ manyClients: true, operations: { ...operations, standIn: standIns } });

const create = (body: Record<string, unknown>, as = ours.sessions.admin) =>
  as.post('/api-tokens', { name: 'deploy', role: 'deployer', ...body });
const ids = (body: Record<string, unknown>) =>
  (Array.isArray(body.items) ? body.items : []).map(({ id }: { id: string }) => id);

test('403 for a token that would create tokens, with the sentence that says why', async () => {
  const refused = await ours.tokens.admin.post('/api-tokens', { name: 'more', role: 'viewer' });
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    'An API token cannot create tokens; sign in and create it in the console, or let a CI job exchange its own token.',
  ]);
});

test.each([
  ['in the past', -1_000, 'lies in the past'],
  ['at once', 0, 'lies in the past'],
  ['in more than ten years', 3_651 * 86_400_000, 'more than ten years away'],
])('422 for an expiry %s', async (_, fromNow, message) => {
  const expiresAt = new Date(Date.now() + fromNow).toISOString();
  const refused = await create({ expiresAt });
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toMatchObject([
    { location: 'body.expiresAt', message: expect.stringContaining(message), value: expiresAt },
  ]);
});

test('201 with an expiry in whatever time zone, or without one', async () => {
  const soon = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
  const local = `${new Date(soon + 7_200_000).toISOString().slice(0, 19)}+02:00`;
  expect((await create({ expiresAt: local })).body.token).toMatchObject({ expiresAt: new Date(soon).toISOString() });
  const { token } = (await create({})).body as { token: object };
  expect('expiresAt' in token).toBe(false);
});

test('the list shows those that are revoked and expired, too, newest first', async () => {
  const fresh = await api.organization();
  const [revoked, expired] = [await fresh.token('viewer'), await fresh.token('viewer')];
  await fresh.sessions.admin.delete(`/api-tokens/${revoked.id}`);
  await api.rows.set('api_token', { id: expired.id }, { expires_at: new Date(0) });
  const { body } = await fresh.sessions.admin.get('/api-tokens');
  expect(ids(body).slice(0, 2)).toEqual([expired.id, revoked.id]);
  expect(body.items).toMatchObject([
    { expiresAt: new Date(0).toISOString() },
    { revokedAt: expect.any(String) },
    ...Array.from({ length: 4 }, () => ({ role: expect.any(String) })),
  ]);
  const live = await fresh.sessions.admin.get('/api-tokens?live=true');
  expect(live.body.items).toHaveLength(4);
  expect(ids(live.body)).not.toContain(expired.id);
  expect(ids(live.body)).not.toContain(revoked.id);
});

test('a token that is limited to projects sees those, and finds no others', async () => {
  const limited = await ours.token('admin', [shop]);
  const list = (as: typeof limited | Organization['tokens']['admin']) => as.get('/stand-in/projects');
  const get = async (id: string, as = limited) => (await as.get(`/stand-in/projects/${id}`)).status;
  expect(ids((await list(limited)).body)).toEqual([shop]);
  expect([await get(shop), await get(wiki)]).toEqual([200, 404]);
  expect(ids((await list(ours.tokens.admin)).body)).toEqual([shop, wiki]);
  expect(ids((await list(ours.limited)).body)).toEqual([]);
});

test('403: a token has no inbox', async () => {
  const read = (as: Organization['tokens']['admin']) => as.get('/stand-in/inbox');
  const refused = await read(ours.tokens.admin);
  expect([refused.status, refused.body.detail]).toEqual([403, 'An API token has no inbox; sign in to read yours.']);
  expect((await read(ours.sessions.viewer)).status).toBe(200);
});

test('403: a token that is limited to projects cannot manage channels', async () => {
  const set = (as: Organization['tokens']['admin']) => as.put('/stand-in/channel');
  const refused = await set(ours.limited);
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    'A token that is limited to chosen projects cannot do this; use another one.',
  ]);
  expect((await set(ours.tokens.admin)).status).toBe(204);
});
