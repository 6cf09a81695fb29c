import { describe, expect, test } from 'vitest';
import { createTeam } from '../../db/teams/teams.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';

const { api, ours } = await ownApi({ env: { PROJECTS_PER_ORGANIZATION: '40' } });
const theirs = await api.organization();

interface Created {
  project: { id: string; slug: string; owner?: { id: string }; team?: { id: string } };
  environments: { id: string; slug: string; namespace: string; production: boolean }[];
}

async function create(body: Record<string, unknown>, as = ours.sessions.admin): Promise<Created> {
  return ok<Created>(await api.as(as).post('/projects', body), 201);
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
    const drafts = await api.rows.all('draft', { environment_id: environments.map(({ id }) => id) });
    expect(drafts).toMatchObject([{ revision: 0 }, { revision: 0 }]);
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
    const made = await ours.tokens.admin.post(`/projects/${project.id}/environments`, body);
    expect(first[0]?.namespace).toBe('n-a-production');
    expect(made.body).toMatchObject({ slug: 'a-production', namespace: 'n-a-production-2' });
    const { environments } = await create({ name: 'x'.repeat(100) });
    expect(environments.map(({ namespace }) => namespace.length <= 63)).toEqual([true, true]);
  });

  test('a team owns it, if the request says so', async () => {
    const team = await api.effect((running) => createTeam(running, ours.organizationId, 'Owners'));
    const { project } = await create({ name: 'Of a team', teamId: team.id });
    expect(project.team).toEqual({ id: team.id, name: 'Owners' });
    expect(project.owner).toBeUndefined();
    expect((await ours.tokens.viewer.get('/teams')).body).toMatchObject({ items: [{ id: team.id, projectCount: 1 }] });
    expectProblem(await ours.tokens.admin.delete(`/teams/${team.id}`), 409, '"Of a team"');
  });

  test.each([
    ['300 characters', 'n'.repeat(300)],
    ['blanks only', '   '],
    ['a character that turns text around', 'shop\u202e'],
    ['a line break', 'a\nb'],
  ])('422 at body.name for %s', async (_, name) => {
    expectProblem(await ours.tokens.admin.post('/projects', { name }), 422, [{ location: 'body.name' }]);
  });

  test('403 for a token that is limited to projects, and for a deployer', async () => {
    for (const as of [ours.limited, ours.tokens.deployer]) {
      expect((await api.as(as).post('/projects', { name: 'No' })).status).toBe(403);
    }
  });

  test('409 that names the setting, for one more than the quota', async () => {
    const crowded = await api.organization();
    const as = crowded.tokens.admin;
    for (let count = 0; count < 40; count += 1) await create({ name: 'One' }, as as never);
    expectProblem(await api.as(as).post('/projects', { name: 'One more' }), 409, 'PROJECTS_PER_ORGANIZATION');
  });
});

describe('a token that is limited to projects', () => {
  test('sees these alone, in lists and by id, and nothing of theirs by their environments', async () => {
    const mine = await create({ name: 'Mine' });
    const other = await create({ name: 'Other' });
    const body = { name: 'Mine alone', role: 'admin', projectIds: [mine.project.id] };
    const token = await ours.sessions.owner.post('/api-tokens', body);
    expect(token.body.token).toMatchObject({ projectRestricted: true, projectIds: [mine.project.id] });
    const as = { token: String(token.body.secret), id: '' };
    expect((await api.as(as).get('/projects')).body).toMatchObject({ items: [{ id: mine.project.id }] });
    const status = async (path: string) => (await api.as(as).get(path)).status;
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
    const { body } = await theirs.tokens.viewer.get(`/projects?limit=2${cursor}`);
    if (Array.isArray(body.items)) seen.push(...body.items.map(({ slug }) => slug));
    cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  expect(seen).toEqual(['a', 'b', 'c']);
  const path = `/projects/${made[0]?.project.id}`;
  expect((await ours.tokens.viewer.get(path)).status).toBe(404);
});

describe('PATCH /projects/{id}', () => {
  test('changes what it names and keeps the slug; a team owns it, or a member again', async () => {
    const { project } = await create({ name: 'Patched' });
    const team = await api.effect((running) => createTeam(running, ours.organizationId, 'New owners'));
    const patch = async (body: object) => await ours.tokens.admin.patch(`/projects/${project.id}`, body);
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
    const fresh = await api.organization();
    const { project } = await create({ name: 'Where' }, fresh.sessions.admin);
    const ask = () => fresh.tokens.viewer.get(`/projects/${project.id}/cluster-recommendation`);
    expect([(await ask()).status, (await ask()).body.detail]).toEqual([409, expect.stringContaining('add a cluster')]);
    const busy = await fresh.place();
    expect((await ask()).body.reason).toContain('the only cluster');
    const idle = await fresh.place();
    const slice = { key: 'workload/x', organization_id: fresh.organizationId, name: 'x', revision: 1, workload: {} };
    await api.rows.add('cluster_slice', { ...slice, cluster_id: busy.clusterId });
    const fewest = await ask();
    expect(fewest.body).toMatchObject({
      clusterId: idle.clusterId,
      reason: expect.stringContaining('fewest workloads (0'),
    });
    const chosen = (defaultClusterId: string) =>
      fresh.sessions.owner.patch(`/organizations/${fresh.organizationId}`, { defaultClusterId });
    await chosen(busy.clusterId);
    expect((await ask()).body).toMatchObject({
      clusterId: busy.clusterId,
      reason: expect.stringContaining('is the default'),
    });
    await api.rows.set('cluster', { id: busy.clusterId }, { schedulable: false });
    expect((await ask()).body).toMatchObject({
      clusterId: idle.clusterId,
      reason: expect.stringContaining('The default cluster'),
    });
    const { environments } = await create({ name: 'There' }, fresh.sessions.admin);
    expect(environments).toMatchObject([{ clusterId: idle.clusterId }, { clusterId: idle.clusterId }]);
  });
});
