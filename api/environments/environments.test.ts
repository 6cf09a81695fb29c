import { afterAll, describe, expect, test } from 'vitest';
import { runningApi, type Seeded, seed, seedToken } from '../../test/installation/running-api.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';

const api = await runningApi({ env: { ENVIRONMENTS_PER_PROJECT: '4' } });
const ours = await seed(api.database);
afterAll(() => api.close());

const { project, call } = madeProjects(() => ({ api, as: ours.tokens.admin }));

describe('POST /projects/{id}/environments', () => {
  test('201; a second one of a name gets a slug of its own; 409 beyond the quota', async () => {
    const { id } = await project();
    const create = () => call('POST', `/projects/${id}/environments`, { name: 'Test', production: false });
    expect((await create()).body).toMatchObject({ slug: 'test', kind: 'persistent', autoDeploy: true });
    expect((await create()).body).toMatchObject({ slug: 'test-2' });
    expect((await create()).status).toBe(409);
    const listed = await call('GET', `/projects/${id}/environments?q=stag`);
    expect(listed.body.items).toMatchObject([{ slug: 'staging' }]);
  });
});

describe('PATCH /environments/{id}', () => {
  test('changes what it names, keeps the slug, and is told in the audit log', async () => {
    const { staging } = await project();
    const changed = await call('PATCH', `/environments/${staging}`, {
      name: 'QA',
      gitBranch: 'main',
      autoDeploy: false,
    });
    expect(changed.body).toMatchObject({ name: 'QA', slug: 'staging', gitBranch: 'main', autoDeploy: false });
    expect((await call('PATCH', `/environments/${staging}`, { gitBranch: '' })).body.gitBranch).toBe('');
    const audit = await call('GET', `/audit-log?subjectId=${staging}&action=environment.updated`);
    expect((audit.body.items as object[]).length).toBe(2);
    const late = await call('PATCH', `/environments/${staging}`, { name: 'Late', was: { name: 'Staging' } });
    expect([late.status, late.body.meanwhile]).toMatchObject([409, [{ location: 'body.name', value: 'QA' }]]);
  });

  test('production is switched off with a session only, and by admins only', async () => {
    const { production } = await project();
    const patch = (as: Seeded['limited']) =>
      api.call('PATCH', `/api/v1/environments/${production}`, { as, body: { production: false } });
    expect((await patch(ours.tokens.admin)).status).toBe(403);
    expect((await patch(ours.sessions.deployer)).status).toBe(403);
    expect((await patch(ours.sessions.admin)).body).toMatchObject({ production: false });
    expect((await call('PATCH', `/environments/${production}`, { production: true })).body.production).toBe(true);
  });

  test('409 for a move to another cluster while something runs there', async () => {
    const [here, there] = [
      await seedPlace(api.database, ours.organizationId),
      await seedPlace(api.database, ours.organizationId),
    ];
    const move = () => call('PATCH', `/environments/${here.environmentId}`, { clusterId: there.clusterId });
    const slice = { cluster_id: here.clusterId, key: `env/${here.environmentId}/${here.serviceId}` };
    await api.database.kysely
      .insertInto('cluster_slice')
      .values({ ...slice, organization_id: ours.organizationId, name: 'api', revision: 1, workload: {} })
      .execute();
    const refused = await move();
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('"s-')]);
    await api.database.kysely.deleteFrom('cluster_slice').where('key', '=', slice.key).execute();
    expect((await move()).body).toMatchObject({ clusterId: there.clusterId });
  });
});

describe('POST /processes/{id}/restart', () => {
  test('202 with a command that can be read in its environment, and in no other', async () => {
    const place = await seedPlace(api.database, ours.organizationId);
    const other = await seedPlace(api.database, ours.organizationId);
    const path = `/processes/${place.processId}/restart?environmentId=${place.environmentId}`;
    const restart = () => api.call('POST', `/api/v1${path}`, { as: ours.tokens.deployer });
    const refused = await restart();
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('not deployed')]);
    const workload = { processes: [{ name: 'web' }] };
    const slice = { cluster_id: place.clusterId, key: `env/${place.environmentId}/${place.serviceId}` };
    await api.database.kysely
      .insertInto('cluster_slice')
      .values({ ...slice, organization_id: ours.organizationId, name: 'api', revision: 1, workload })
      .execute();
    const made = await restart();
    expect([made.status, made.body]).toMatchObject([202, { kind: 'restart', state: 'queued' }]);
    const command = (environmentId: string, as = ours.tokens.viewer) =>
      api.call('GET', `/api/v1/environments/${environmentId}/commands/${made.body.id}`, { as });
    expect((await command(place.environmentId)).body).toMatchObject({ id: made.body.id });
    expect((await command(other.environmentId)).status).toBe(404);
    const limited = await seedToken(api.database, ours.organizationId, 'admin', [other.projectId]);
    expect((await command(place.environmentId, limited as never)).status).toBe(404);
    await api.database.kysely
      .updateTable('cluster_agent')
      .set({ contact: 'lost' })
      .where('cluster_id', '=', place.clusterId)
      .execute();
    expect((await restart()).status).toBe(409);
  });
});

test('POST /processes/{id}/run: 202 for a cron process; 409 for another one, or while the agent is too old', async () => {
  const place = await seedPlace(api.database, ours.organizationId);
  const slice = { cluster_id: place.clusterId, key: `env/${place.environmentId}/${place.serviceId}` };
  const { kysely } = api.database;
  const deployed = async (kind: string) => {
    const row = { ...slice, organization_id: ours.organizationId, name: 'api', revision: 1 };
    await kysely.deleteFrom('cluster_slice').where('key', '=', slice.key).execute();
    await kysely
      .insertInto('cluster_slice')
      .values({ ...row, workload: { processes: [{ name: 'web', kind }] } })
      .execute();
  };
  const run = () => call('POST', `/processes/${place.processId}/run?environmentId=${place.environmentId}`);
  const spoken = (minor: number) =>
    kysely
      .updateTable('cluster_agent')
      .set({ protocol_minor: minor })
      .where('cluster_id', '=', place.clusterId)
      .execute();
  await deployed('http');
  await spoken(2);
  expect((await run()).body.detail).toContain('no cron process');
  await deployed('cron');
  await spoken(1);
  expect((await run()).body.detail).toContain('update it');
  await spoken(2);
  expect(await run()).toMatchObject({ status: 202, body: { kind: 'run', state: 'queued' } });
});

test('GET /processes/{id}/runs: the instances that were observed, newest first', async () => {
  const place = await seedPlace(api.database, ours.organizationId);
  const run = (id: string, startedAt: string, process = 'web') => {
    return { id, process, release: '1', node: 'n', state: 'ended', run: 1, startedAt };
  };
  const instances = [
    run('web-1', '2026-01-01T00:00:00Z'),
    run('web-2', '2026-01-02T00:00:00Z'),
    run('other', '2026-01-03T00:00:00Z', 'worker'),
  ];
  const slice = { cluster_id: place.clusterId, key: `env/${place.environmentId}/${place.serviceId}` };
  await api.database.kysely
    .insertInto('observed_slice')
    .values({
      ...slice,
      organization_id: ours.organizationId,
      applied_revision: 1,
      instances: JSON.stringify(instances) as never,
      volumes: '[]' as never,
      traffic: '[]' as never,
    })
    .execute();
  const runs = await call('GET', `/processes/${place.processId}/runs?environmentId=${place.environmentId}`);
  expect(runs.body.items).toMatchObject([{ id: 'web-2' }, { id: 'web-1' }]);
});
