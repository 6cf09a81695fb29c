import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { rolloutKey } from '../../domain/deployments/workload-of.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { sampleWorkload as app, madeClusters, sampleProcess as web } from '../../test/seeds/made-cluster.ts';
import { seedInstance, seedReleases } from '../../test/seeds/seed-cluster.ts';
import { seedDeployment, seedRelease } from '../../test/seeds/seed-place.ts';

const { api, ours } = await ownApi({
  env: { PUBLIC_URL: 'https://ballast.example.com', INGRESS_DOMAIN: 'apps.example.com' },
});
const releases = await seedReleases(api.database);

const admin = (method: string, path: string, body?: unknown) => ours.tokens.admin.call(method, path, body);
const get = (path: string) => ours.tokens.viewer.get(path);
const { living } = madeClusters(() => ({ api, as: ours.tokens.admin, image: releases.older }));
const hidden = 'correct-horse-battery-staple';

describe('workloads', () => {
  test('get a host name of their own, and never show a secret again', async () => {
    const id = await living('Secrets');
    const body = app({
      image: { repository: 'registry.example.com/app', tag: '1', credential: { username: 'ci', password: hidden } },
      environment: { API_KEY: hidden },
    });
    const put = await admin('PUT', `/clusters/${id}/workloads/shop`, body);
    expect(put.body).toMatchObject({
      name: 'shop',
      state: 'pending',
      revision: 1,
      environmentNames: ['API_KEY'],
      image: { repository: 'registry.example.com/app', tag: '1' },
      hosts: [{ process: 'web', host: expect.stringMatching(/^shop-[a-z0-9]{8}\.apps\.example\.com$/) }],
    });
    const again = await admin('PUT', `/clusters/${id}/workloads/shop`, body);
    expect(again.body).toEqual(put.body);
    const scaled = await admin('PUT', `/clusters/${id}/workloads/shop`, {
      ...body,
      processes: [{ ...web, replicas: 3 }],
    });
    expect(scaled.body).toMatchObject({ revision: 2, release: put.body.release });
    const changed = await admin('PUT', `/clusters/${id}/workloads/shop`, {
      ...body,
      environment: { API_KEY: 'other' },
    });
    expect(changed.body.release).not.toBe(put.body.release);
    const audit = await admin('GET', '/audit-log?subjectKind=workload&limit=200');
    const records = (audit.body.items as { subject: { name: string }; details: object }[]).filter(
      ({ subject }) => subject.name === 'shop',
    );
    expect(records).toHaveLength(3);
    expect(records[0]?.details).toMatchObject({ environment: ['API_KEY'], revision: 3 });
    const listed = await get(`/clusters/${id}/workloads`);
    for (const answer of [put, again, scaled, audit, listed]) expect(answer.text).not.toContain(hidden);
    expect(api.lines.some((line) => JSON.stringify(line).includes(hidden))).toBe(false);
    const rows = await api.rows.all('cluster_slice', { cluster_id: id });
    expect(JSON.stringify(rows)).not.toContain(hidden);
  });

  test('say how current is what the agent told of them', async () => {
    const id = await living('Silent');
    await admin('PUT', `/clusters/${id}/workloads/shop`, app());
    await seedInstance(api.database, { id, organizationId: ours.organizationId }, 'shop');
    const told = async () => {
      const [cluster, agent, workloads, instances] = await Promise.all(
        ['', '/agent', '/workloads', '/instances'].map(async (of) => (await get(`/clusters/${id}${of}`)).body),
      );
      const items = [workloads, instances].flatMap((list) => list?.items as { asOf: { inContact: boolean } }[]);
      return [cluster, agent, ...items].map((one) => one?.asOf);
    };
    const at = expect.stringMatching(/Z$/);
    expect(await told()).toEqual(Array(4).fill({ at, inContact: true }));
    await api.rows.set('cluster_agent', { cluster_id: id }, { contact: 'lost' });
    expect(await told()).toEqual(Array(4).fill({ at, inContact: false }));
  });

  test('of services have the number of the release that each instance runs, whatever they are called', async () => {
    const place = await ours.place();
    const { organizationId, environmentId, serviceId, clusterId } = place;
    const rolled = async (number: number, runs_as: string) => {
      const { id } = await seedRelease(api.database, place, number);
      return await seedDeployment(api.database, place, id, { runs_as });
    };
    await rolled(1, '1');
    await rolled(2, '2.8');
    // Of the same instances: only replicas differ.
    const live = await rolled(3, '2.8');
    await api.rows.set('environment_service', { service_id: serviceId }, { live_deployment_id: live });
    // What is rolled next is not what runs.
    await rolled(4, '2.8');
    const instances = ['1', '2.8', '2.9'].map((release, index) => ({
      ...{ id: `web-${index}`, process: 'web', release, node: 'here', state: 'ready', run: 1 },
    }));
    const json = (value: unknown) => sql<never>`${JSON.stringify(value)}::jsonb`;
    await api.rows.add('observed_slice', {
      ...{ cluster_id: clusterId, organization_id: organizationId, key: rolloutKey(environmentId, serviceId) },
      ...{ applied_revision: 1, instances: json(instances), volumes: json([]), traffic: json([]) },
    });
    await seedInstance(api.database, { id: clusterId, organizationId }, 'shop', { release: '1' });
    const { items } = (await get(`/clusters/${clusterId}/instances`)).body;
    expect((items as Record<string, unknown>[]).map(({ release, releaseNumber }) => [release, releaseNumber])).toEqual([
      ['1', 1],
      ['2.8', 3],
      ['2.9', undefined],
      ['1', undefined],
    ]);
  });

  test('that do not fit together are refused at each place, and nothing of the file is applied', async () => {
    const id = await living('Faults');
    const put = await admin('PUT', `/clusters/${id}/workloads`, {
      workloads: [
        { name: 'fine', ...app() },
        {
          name: 'broken',
          image: { repository: 'registry.example.com/app' },
          environment: { PORT: hidden },
          processes: [
            { name: 'web', kind: 'http', schedule: '* * * * *', mounts: [{ volume: 'data', path: '/a/../b' }] },
            { name: 'web', kind: 'worker', checks: { liveness: { kind: 'http', path: '/x y' } } },
            { name: 'nightly', kind: 'cron', schedule: '61 * * * *' },
            { name: 'never', kind: 'cron', schedule: '0 0 30 2 *', timeZone: 'Mars/Olympus' },
          ],
        },
        { name: 'fine', ...app() },
      ],
    });
    expect(put.status).toBe(422);
    expect((put.body.errors as { location: string }[]).map(({ location }) => location)).toEqual([
      'body.workloads[2].name',
      'body.workloads[1].processes[1].name',
      'body.workloads[1].image',
      'body.workloads[1].environment.PORT',
      'body.workloads[1].processes[0].port',
      'body.workloads[1].processes[0].schedule',
      'body.workloads[1].processes[0].mounts[0].volume',
      'body.workloads[1].processes[0].mounts[0].path',
      'body.workloads[1].processes[1].checks.liveness',
      'body.workloads[1].processes[1].checks.liveness.path',
      'body.workloads[1].processes[2].schedule',
      'body.workloads[1].processes[3].timeZone',
    ]);
    expect(put.text).not.toContain(hidden);
    expect((await get(`/clusters/${id}/workloads`)).body.items).toEqual([]);
    const wrong = await admin('PUT', `/clusters/${id}/workloads/app`, app({ environment: { 'A-B': hidden, C: 1 } }));
    expect([wrong.status, wrong.text.includes(hidden)]).toEqual([422, false]);
  });

  test('are checked by a dry run as they would be applied, and compared with what is there', async () => {
    const id = await living('Dry');
    const pinned = (one: string) => app({ image: { layout: '/srv/app', digest: `sha256:${one.repeat(64)}` } });
    const put = (workloads: object[], more: object) =>
      admin('PUT', `/clusters/${id}/workloads`, { workloads, prune: true, ...more });
    const before = [
      { name: 'same', ...pinned('a') },
      { name: 'other', ...pinned('a') },
      { name: 'open', ...app() },
      { name: 'gone', ...app() },
    ];
    expect((await put(before, {})).body.changes).toEqual(before.map(({ name }) => ({ name, change: 'created' })));
    const after = [...before.slice(0, 3), { name: 'fresh', ...app() }].map((one) =>
      one.name === 'other' ? { ...one, ...pinned('b') } : one,
    );
    const changes = [
      { name: 'same', change: 'unchanged' },
      { name: 'other', change: 'changed' },
      { name: 'open', change: 'again' },
      { name: 'fresh', change: 'created' },
      { name: 'gone', change: 'removed' },
    ];
    const told = await get(`/clusters/${id}/workloads`);
    const dry = await put(after, { dryRun: true });
    expect([dry.status, dry.body]).toMatchObject([200, { items: [], changes, removed: ['gone'] }]);
    expect((await get(`/clusters/${id}/workloads`)).body).toEqual(told.body);
    expect((await put(after, {})).body.changes).toEqual(changes);
    const broken = await put([{ name: 'same', ...app({ environment: { PORT: '1' } }) }], { dryRun: true });
    expect([broken.status, broken.body.errors]).toMatchObject([
      422,
      [{ location: 'body.workloads[0].environment.PORT' }],
    ]);
    await admin('PATCH', `/clusters/${id}`, { schedulable: false });
    expect((await put([{ name: 'newer', ...app() }], { dryRun: true })).status).toBe(409);
  });

  test('whose secrets were sealed with another key are named, without opening any', async () => {
    const id = await living('Sealed');
    const environment = { API_KEY: hidden };
    for (const name of ['fine', 'moved']) await admin('PUT', `/clusters/${id}/workloads/${name}`, app({ environment }));
    const broken = async () => (await get(`/clusters/${id}`)).body.compileError;
    expect(await broken()).toBe('');
    await api.rows.set('cluster_slice', { cluster_id: id, name: 'moved' }, { sealed_secrets: Buffer.alloc(100, 7) });
    expect(await broken()).toContain('The secrets of "moved" do not open any more');
  });

  test('are pruned when the file does not name them, and those of others are not', async () => {
    const id = await living('Pruned');
    const put = (names: string[], prune: boolean) =>
      admin('PUT', `/clusters/${id}/workloads`, { workloads: names.map((name) => ({ name, ...app() })), prune });
    await put(['one', 'two'], false);
    expect((await put(['three'], false)).body.removed).toEqual([]);
    expect((await put(['two'], true)).body.removed).toEqual(['one', 'three']);
    const { body } = await get(`/clusters/${id}/workloads`);
    expect((body.items as object[]).map((one) => Object.entries(one).filter(([name]) => name === 'state'))).toEqual([
      [['state', 'removing']],
      [['state', 'removing']],
      [['state', 'pending']],
    ]);
  });
});
