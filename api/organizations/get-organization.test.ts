import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { signIn } from '../../test/identity/people.ts';
import { type Call, runningApi, seed } from '../../test/installation/running-api.ts';

const api = await runningApi();
const ours = await seed(api.database);
const theirs = await seed(api.database);
afterAll(() => api.close());

test('a token sees the organization that it was made in, and its absent settings are left out', async () => {
  const answered = await api.call('GET', `/api/v1/organizations/${ours.organizationId}`, { as: ours.tokens.viewer });
  expect(answered.status).toBe(200);
  expect(answered.body).toEqual({
    $schema: 'urn:ballast:schema:Organization',
    id: ours.organizationId,
    name: ours.slug,
    slug: ours.slug,
    requireMfa: false,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

test('the organization of somebody else does not exist, and neither does one that nobody has', async () => {
  for (const id of [theirs.organizationId, uuid()]) {
    const path = `/api/v1/organizations/${id}`;
    expect((await api.call('GET', path, { as: ours.tokens.admin })).status).toBe(404);
    expect((await api.call('GET', path, { as: ours.sessions.owner })).status).toBe(404);
  }
});

test('settings that are there are answered', async () => {
  const cluster = uuid();
  await api.database.kysely
    .updateTable('organization')
    .set({ default_cluster_id: cluster, build_repository_prefix: 'registry.example.com/acme', require_mfa: true })
    .where('id', '=', theirs.organizationId)
    .execute();
  const answered = await api.call('GET', `/api/v1/organizations/${theirs.organizationId}`, {
    as: theirs.tokens.viewer,
  });
  expect(answered.body).toMatchObject({
    defaultClusterId: cluster,
    buildRepositoryPrefix: 'registry.example.com/acme',
    requireMfa: true,
  });
  expect(answered.body).not.toHaveProperty('buildRegistryCredentialId');
});

test('only owners of the first organization create others, unless the setting lets everybody', async () => {
  const create = (as: Call['as']) =>
    api.call('POST', '/api/v1/organizations', { as, organization: '', body: { name: 'A', slug: `made-${uuid()}` } });
  for (const as of [ours.sessions.admin, theirs.sessions.owner, (await signIn(api.database)).in()]) {
    const refused = await create(as);
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('ORGANIZATION_CREATORS')]);
  }
  expect((await create(ours.sessions.owner)).status).toBe(201);
});
