import { afterAll, describe, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { createTeam } from '../../db/teams/teams.ts';
import { runningApi, seed } from '../../test/installation/running-api.ts';
import { machine } from '../../test/seeds/seed.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';

const api = await runningApi({ env: { PROJECTS_PER_ORGANIZATION: '40' } });
const ours = await seed(api.database);
const theirs = await seed(api.database);
afterAll(() => api.close());

interface Created {
  project: { id: string; slug: string; owner?: { id: string }; team?: { id: string } };
  environments: { id: string; slug: string; namespace: string; production: boolean }[];
}

async function create(body: Record<string, unknown>, as = ours.sessions.admin): Promise<Created> {
  const made = await api.call('POST', '/api/v1/projects', { as, body });
  expect(made.status, made.text).toBe(201);
  return made.body as unknown as Created;
}

describe('POST /projects', () => {
  test('201 with a production and a staging environment, each with an empty draft', async () => {
    const { project, environments } = await create({ name: '  Söhne & Co ' });
    expect(project).toMatchObject({
      name: 'Söhne & Co',
      slug: 'sohne-co',
      description: '',
      deployConcurrency: 10,
      owner: { id: ours.sessions.admin.userId },
    });
    expect(project.team).toBeUndefined();
    expect(environments).toMatchObject([
      {
        name: 'Production',
        slug: 'production',
        namespace: 'sohne-co-production',
        production: true,
        kind: 'persistent',
      },
      { name: 'Staging', slug: 'staging', namespace: 'sohne-co-staging', production: false, gitBranch: '' },
    ]);
    const drafts = await api.database.kysely
      .selectFrom('draft')
      .select('revision')
      .where(
        'environment_id',
        'in',
        environments.map(({ id }) => id),
      )
      .execute();
    expect(drafts).toEqual([{ revision: 0 }, { revision: 0 }]);
  });

  test('a second one of a name gets a slug of its own, and so does one without a letter of ASCII', async () => {
    const slugs = [];
    for (const name of ['Twice', 'Twice', '店', '!!!']) slugs.push((await create({ name })).project.slug);
    expect(slugs).toEqual(['twice', 'twice-2', 'project', 'project-2']);
  });

  test('namespaces are told apart in the organization, and no longer than a label', async () => {
    const { environments: first } = await create({ name: 'n a' });
    const { project } = await create({ name: 'n' });
    const body = { name: 'a production', production: false };
    const made = await api.call('POST', `/api/v1/projects/${project.id}/environments`, {
      as: ours.tokens.admin,
      body,
    });
    expect(first[0]?.namespace).toBe('n-a-production');
    expect(made.body).toMatchObject({ slug: 'a-production', namespace: 'n-a-production-2' });
    const { environments } = await create({ name: 'x'.repeat(100) });
    expect(environments.map(({ namespace }) => namespace.length <= 63)).toEqual([true, true]);
  });

  test('a team owns it, if the request says so', async () => {
    const team = await effect(api.database, machine, (running) => createTeam(running, ours.organizationId, 'Owners'));
    const { project } = await create({ name: 'Of a team', teamId: team.id });
    expect(project.team).toEqual({ id: team.id, name: 'Owners' });
    expect(project.owner).toBeUndefined();
    const listed = await api.call('GET', '/api/v1/teams', { as: ours.tokens.viewer });
    expect(listed.body.items).toMatchObject([{ id: team.id, projectCount: 1 }]);
    const refused = await api.call('DELETE', `/api/v1/teams/${team.id}`, { as: ours.tokens.admin });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('"Of a team"');
  });

  test.each([
    ['300 characters', 'n'.repeat(300)],
    ['blanks only', '   '],
    ['a character that turns text around', 'shop\u202e'],
    ['a line break', 'a\nb'],
  ])('422 at body.name for %s', async (_, name) => {
    const refused = await api.call('POST', '/api/v1/projects', { as: ours.tokens.admin, body: { name } });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toMatchObject([{ location: 'body.name' }]);
  });

  test('403 for a token that is limited to projects, and for a deployer', async () => {
    for (const as of [ours.limited, ours.tokens.deployer]) {
      expect((await api.call('POST', '/api/v1/projects', { as, body: { name: 'No' } })).status).toBe(403);
    }
  });

  test('409 that names the setting, for one more than the quota', async () => {
    const crowded = await seed(api.database);
    const as = crowded.tokens.admin;
    for (let count = 0; count < 40; count += 1) await create({ name: 'One' }, as as never);
    const refused = await api.call('POST', '/api/v1/projects', { as, body: { name: 'One more' } });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('PROJECTS_PER_ORGANIZATION');
  });
});

describe('a token that is limited to projects', () => {
  test('sees these alone, in lists and by id, and nothing of theirs by their environments', async () => {
    const mine = await create({ name: 'Mine' });
    const other = await create({ name: 'Other' });
    const body = { name: 'Mine alone', role: 'admin', projectIds: [mine.project.id] };
    const token = await api.call('POST', '/api/v1/api-tokens', { as: ours.sessions.owner, body });
    expect(token.body.token).toMatchObject({ projectRestricted: true, projectIds: [mine.project.id] });
    const as = { token: String(token.body.secret), id: '' };
    const listed = await api.call('GET', '/api/v1/projects', { as });
    expect(listed.body.items).toMatchObject([{ id: mine.project.id }]);
    const status = async (path: string) => (await api.call('GET', `/api/v1${path}`, { as })).status;
    expect(await status(`/projects/${mine.project.id}`)).toBe(200);
    expect(await status(`/projects/${mine.project.id}/environments`)).toBe(200);
    expect(await status(`/environments/${mine.environments[0]?.id}`)).toBe(200);
    expect(await status(`/projects/${other.project.id}`)).toBe(404);
    expect(await status(`/projects/${other.project.id}/environments`)).toBe(404);
    expect(await status(`/environments/${other.environments[0]?.id}`)).toBe(404);
  });
});

test('GET /projects: pages in the order they were made in; 404 for one of another organization', async () => {
  const made = [];
  for (const name of ['a', 'b', 'c']) made.push(await create({ name }, theirs.sessions.admin));
  const seen: unknown[] = [];
  let cursor = '';
  do {
    const { body } = await api.call('GET', `/api/v1/projects?limit=2${cursor}`, { as: theirs.tokens.viewer });
    if (Array.isArray(body.items)) seen.push(...body.items.map(({ slug }) => slug));
    cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  expect(seen).toEqual(['a', 'b', 'c']);
  const path = `/api/v1/projects/${made[0]?.project.id}`;
  expect((await api.call('GET', path, { as: ours.tokens.viewer })).status).toBe(404);
});

describe('PATCH /projects/{id}', () => {
  test('changes what it names and keeps the slug; a team owns it, or a member again', async () => {
    const { project } = await create({ name: 'Patched' });
    const team = await effect(api.database, machine, (running) =>
      createTeam(running, ours.organizationId, 'New owners'),
    );
    const patch = async (body: object) =>
      await api.call('PATCH', `/api/v1/projects/${project.id}`, { as: ours.tokens.admin, body });
    const changed = await patch({ name: 'Renamed', description: 'Why it is.', deployConcurrency: 3 });
    expect(changed.body).toMatchObject({ name: 'Renamed', slug: 'patched', deployConcurrency: 3 });
    expect((await patch({ teamId: team.id })).body).toMatchObject({ team: { name: 'New owners' } });
    const back = await patch({ ownerId: ours.sessions.viewer.userId });
    expect(back.body).toMatchObject({ owner: { id: ours.sessions.viewer.userId } });
    expect(back.body).not.toHaveProperty('team');
    expect((await patch({ ownerId: theirs.sessions.viewer.userId })).status).toBe(422);
    expect((await patch({ ownerId: ours.sessions.viewer.userId, teamId: team.id })).status).toBe(422);
    expect((await patch({ deployConcurrency: 101 })).status).toBe(422);
    const late = await patch({ name: 'Late', was: { name: 'Patched' } });
    expect([late.status, late.body.meanwhile]).toMatchObject([409, [{ value: 'Renamed', by: 'admin token' }]]);
  });
});

describe('GET /projects/{id}/cluster-recommendation', () => {
  test('the default cluster, else the one with the fewest workloads; 409 without any', async () => {
    const fresh = await seed(api.database);
    const { project } = await create({ name: 'Where' }, fresh.sessions.admin);
    const ask = () =>
      api.call('GET', `/api/v1/projects/${project.id}/cluster-recommendation`, { as: fresh.tokens.viewer });
    expect([(await ask()).status, (await ask()).body.detail]).toEqual([409, expect.stringContaining('add a cluster')]);
    const busy = await seedPlace(api.database, fresh.organizationId);
    expect((await ask()).body.reason).toContain('the only cluster');
    const idle = await seedPlace(api.database, fresh.organizationId);
    const slice = { key: 'workload/x', organization_id: fresh.organizationId, name: 'x', revision: 1, workload: {} };
    await api.database.kysely
      .insertInto('cluster_slice')
      .values({ ...slice, cluster_id: busy.clusterId })
      .execute();
    const fewest = await ask();
    expect(fewest.body).toMatchObject({
      clusterId: idle.clusterId,
      reason: expect.stringContaining('fewest workloads (0'),
    });
    const chosen = (defaultClusterId: string) =>
      api.call('PATCH', `/api/v1/organizations/${fresh.organizationId}`, {
        as: fresh.sessions.owner,
        body: { defaultClusterId },
      });
    await chosen(busy.clusterId);
    expect((await ask()).body).toMatchObject({
      clusterId: busy.clusterId,
      reason: expect.stringContaining('is the default'),
    });
    await api.database.kysely
      .updateTable('cluster')
      .set({ schedulable: false })
      .where('id', '=', busy.clusterId)
      .execute();
    expect((await ask()).body).toMatchObject({
      clusterId: idle.clusterId,
      reason: expect.stringContaining('The default cluster'),
    });
    const { environments } = await create({ name: 'There' }, fresh.sessions.admin);
    expect(environments).toMatchObject([{ clusterId: idle.clusterId }, { clusterId: idle.clusterId }]);
  });
});
