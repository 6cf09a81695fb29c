import { describe, expect, test } from 'vitest';
import type { Organization } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';

const { api, ours } = await ownApi({ env: { ENVIRONMENTS_PER_PROJECT: '4' } });

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
    const patch = (as: Organization['limited']) => as.patch(`/environments/${production}`, { production: false });
    expect((await patch(ours.tokens.admin)).status).toBe(403);
    expect((await patch(ours.sessions.deployer)).status).toBe(403);
    expect((await patch(ours.sessions.admin)).body).toMatchObject({ production: false });
    expect((await call('PATCH', `/environments/${production}`, { production: true })).body.production).toBe(true);
  });

  test('409 for a move to another cluster while something runs there', async () => {
    const [here, there] = [await ours.place(), await ours.place()];
    const move = () => call('PATCH', `/environments/${here.environmentId}`, { clusterId: there.clusterId });
    const slice = { cluster_id: here.clusterId, key: `env/${here.environmentId}/${here.serviceId}` };
    await api.rows.add('cluster_slice', {
      ...slice,
      organization_id: ours.organizationId,
      name: 'api',
      revision: 1,
      workload: {},
    });
    expectProblem(await move(), 409, '"s-');
    await api.rows.remove('cluster_slice', { key: slice.key });
    expect((await move()).body).toMatchObject({ clusterId: there.clusterId });
  });
});

describe('POST /processes/{id}/restart', () => {
  test('202 with a command that can be read in its environment, and in no other', async () => {
    const place = await ours.place();
    const other = await ours.place();
    const path = `/processes/${place.processId}/restart?environmentId=${place.environmentId}`;
    const restart = () => ours.tokens.deployer.post(path);
    expectProblem(await restart(), 409, 'not deployed');
    const workload = { processes: [{ name: 'web' }] };
    const slice = { cluster_id: place.clusterId, key: `env/${place.environmentId}/${place.serviceId}` };
    await api.rows.add('cluster_slice', {
      ...slice,
      organization_id: ours.organizationId,
      name: 'api',
      revision: 1,
      workload,
    });
    const made = await restart();
    expect([made.status, made.body]).toMatchObject([202, { kind: 'restart', state: 'queued' }]);
    const command = (environmentId: string, as = ours.tokens.viewer) =>
      as.get(`/environments/${environmentId}/commands/${made.body.id}`);
    expect((await command(place.environmentId)).body).toMatchObject({ id: made.body.id });
    expect((await command(other.environmentId)).status).toBe(404);
    const limited = await ours.token('admin', [other.projectId]);
    expect((await command(place.environmentId, limited as never)).status).toBe(404);
    await api.rows.set('cluster_agent', { cluster_id: place.clusterId }, { contact: 'lost' });
    expect((await restart()).status).toBe(409);
  });
});

test('POST /processes/{id}/run: 202 for a cron process; 409 for another one, or while the agent is too old', async () => {
  const place = await ours.place();
  const slice = { cluster_id: place.clusterId, key: `env/${place.environmentId}/${place.serviceId}` };
  const deployed = async (kind: string) => {
    const row = { ...slice, organization_id: ours.organizationId, name: 'api', revision: 1 };
    await api.rows.remove('cluster_slice', { key: slice.key });
    await api.rows.add('cluster_slice', { ...row, workload: { processes: [{ name: 'web', kind }] } });
  };
  const run = () => call('POST', `/processes/${place.processId}/run?environmentId=${place.environmentId}`);
  const spoken = (minor: number) =>
    api.rows.set('cluster_agent', { cluster_id: place.clusterId }, { protocol_minor: minor });
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
  const place = await ours.place();
  const run = (id: string, startedAt: string, process = 'web') => {
    return { id, process, release: '1', node: 'n', state: 'ended', run: 1, startedAt };
  };
  const instances = [
    run('web-1', '2026-01-01T00:00:00Z'),
    run('web-2', '2026-01-02T00:00:00Z'),
    run('other', '2026-01-03T00:00:00Z', 'worker'),
  ];
  const slice = { cluster_id: place.clusterId, key: `env/${place.environmentId}/${place.serviceId}` };
  await api.rows.add('observed_slice', {
    ...slice,
    organization_id: ours.organizationId,
    applied_revision: 1,
    instances: JSON.stringify(instances) as never,
    volumes: '[]' as never,
    traffic: '[]' as never,
  });
  const runs = await call('GET', `/processes/${place.processId}/runs?environmentId=${place.environmentId}`);
  expect(runs.body.items).toMatchObject([{ id: 'web-2' }, { id: 'web-1' }]);
});
