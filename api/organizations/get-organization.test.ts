import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { signIn } from '../../test/identity/people.ts';
import type { Call } from '../../test/installation/running-api.ts';

const { api, ours } = await ownApi();
const theirs = await api.organization();

test('a token sees the organization that it was made in, and its absent settings are left out', async () => {
  const answered = ok(await ours.tokens.viewer.get(`/organizations/${ours.organizationId}`));
  expect(answered).toEqual({
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
    const path = `/organizations/${id}`;
    expect((await ours.tokens.admin.get(path)).status).toBe(404);
    expect((await ours.sessions.owner.get(path)).status).toBe(404);
  }
});

test('settings that are there are answered', async () => {
  const cluster = uuid();
  await api.rows.set(
    'organization',
    { id: theirs.organizationId },
    { default_cluster_id: cluster, build_repository_prefix: 'registry.example.com/acme', require_mfa: true },
  );
  const answered = await theirs.tokens.viewer.get(`/organizations/${theirs.organizationId}`);
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
    expectProblem(await create(as), 403, 'ORGANIZATION_CREATORS');
  }
  expect((await create(ours.sessions.owner)).status).toBe(201);
});
