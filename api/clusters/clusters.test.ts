import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningApi, runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { seedAgent, seedReleases } from '../../test/seeds/seed-cluster.ts';

let api: RunningApi;
let ours: Seeded;
let theirs: Seeded;
let releases: { older: string; newer: string };

beforeAll(async () => {
  api = await runningApi({ env: { PUBLIC_URL: 'https://ballast.example.com', INGRESS_DOMAIN: 'apps.example.com' } });
  ours = await seed(api.database);
  theirs = await seed(api.database);
  releases = await seedReleases(api.database);
});
afterAll(() => api.close());

const admin = (method: string, path: string, body?: unknown) =>
  api.call(method, `/api/v1${path}`, { as: ours.tokens.admin, ...(body === undefined ? {} : { body }) });
const get = (path: string) => api.call('GET', `/api/v1${path}`, { as: ours.tokens.viewer });

interface Made {
  cluster: Record<string, unknown> & { id: string };
  token: string;
  installCommand: string;
  expiresAt: string;
}
async function make(name: string): Promise<Made> {
  const made = await admin('POST', '/clusters', { name });
  expect(made.status, made.text).toBe(201);
  return made.body as unknown as Made;
}
async function living(name: string): Promise<string> {
  const { cluster } = await make(name);
  await seedAgent(api.database, cluster.id, releases.older);
  return cluster.id;
}

const web = { name: 'web', kind: 'http', port: 8080 };
const app = (more: object = {}) => ({ image: { layout: '/srv/app' }, processes: [web], ...more });
const hidden = 'correct-horse-battery-staple';

describe('a cluster', () => {
  test('is made with a command that carries its token on standard input', async () => {
    await admin('PUT', `/organizations/${ours.organizationId}/join-token-ttl`, { seconds: 600 });
    const { cluster, token, installCommand, expiresAt } = await make('Rack 7');
    expect(cluster).toMatchObject({
      slug: 'rack-7',
      status: 'awaiting-agent',
      driver: '',
      notes: [],
      haState: 'single',
    });
    expect(cluster).not.toHaveProperty('lastHeartbeatAt');
    expect(installCommand).toBe(
      `printf '%s\\n' '${token}' | sh -c "$(curl -fsSL 'https://ballast.example.com/agent/v1/install.sh' || echo exit 1)" ballast-install`,
    );
    const seconds = (Date.parse(expiresAt) - Date.parse(String(cluster.createdAt))) / 1000;
    expect(Math.round(seconds / 10)).toBe(60);
    const another = await admin('POST', `/clusters/${cluster.id}/enrollment-token`);
    expect(another.body.token).not.toBe(token);
    expect(api.lines.some((line) => JSON.stringify(line).includes(token))).toBe(false);
  });

  test('tells what its agent said of the machine, and what does not hold there', async () => {
    const id = await living('With an agent');
    const { body } = await get(`/clusters/${id}`);
    expect(body).toMatchObject({ driver: 'process', agentVersion: '1.0.0', nodeCount: 1, serverCount: 1 });
    expect(body.nodes).toEqual([expect.objectContaining({ ready: true, cpuMilli: expect.any(Number) })]);
    expect(body.capabilities).toMatchObject({ processArgs: true, dbOperator: false, ingressIPs: ['192.0.2.7'] });
    expect(body.notes).toEqual([expect.stringContaining('Put only what you trust on it.')]);
    expect(body).not.toHaveProperty('summary');
    await admin('PUT', `/clusters/${id}/workloads/app`, app());
    const list = await get('/clusters?summary=true&limit=200');
    const found = (list.body.items as { id: string; summary: unknown }[]).find((one) => one.id === id);
    expect(found?.summary).toEqual({ agentUpdateAvailable: true, nodesReady: 1, nodesTotal: 1, workloads: 1 });
    const operator = await admin('POST', `/clusters/${id}/db-operator`);
    expect([operator.status, operator.body.detail]).toEqual([409, expect.stringContaining('its driver, process')]);
  });

  test('is changed, its slug stays', async () => {
    const { cluster } = await make('Before');
    const changed = await admin('PATCH', `/clusters/${cluster.id}`, {
      name: 'After',
      region: 'fra',
      schedulable: false,
    });
    expect(changed.body).toMatchObject({ name: 'After', slug: 'before', region: 'fra', schedulable: false });
    const put = () => admin('PUT', `/clusters/${cluster.id}/workloads/app`, app());
    expect((await put()).body.detail).toContain('accepts no new workloads such as "app"');
    await admin('PATCH', `/clusters/${cluster.id}`, { schedulable: true });
    expect((await put()).status).toBe(200);
    await admin('PATCH', `/clusters/${cluster.id}`, { schedulable: false });
    expect((await put()).status).toBe(200);
  });

  test('is not deleted while something lives there, nor the local one that would come back', async () => {
    const id = await living('Inhabited');
    await admin('PUT', `/clusters/${id}/workloads/app`, app());
    const refused = await admin('DELETE', `/clusters/${id}`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('"app"')]);
    await admin('DELETE', `/clusters/${id}/workloads/app`);
    expect((await admin('DELETE', `/clusters/${id}`)).status).toBe(204);
    expect((await admin('DELETE', `/clusters/${id}`)).status).toBe(409);
    const late = await admin('PUT', `/clusters/${id}/workloads/app`, app());
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('is being deleted')]);

    const { cluster } = await make('Here');
    await api.database.kysely.updateTable('cluster').set({ local: true }).where('id', '=', cluster.id).execute();
    const local = await admin('DELETE', `/clusters/${cluster.id}`);
    expect([local.status, local.body.detail]).toEqual([409, expect.stringContaining('LOCAL_CLUSTER=false')]);
  });

  test('that is the default one is so no more once it is deleted', async () => {
    const { cluster } = await make('Default');
    const path = `/organizations/${ours.organizationId}`;
    expect((await admin('PATCH', path, { defaultClusterId: cluster.id })).status).toBe(200);
    await admin('DELETE', `/clusters/${cluster.id}`);
    expect((await get(path)).body).not.toHaveProperty('defaultClusterId');
    expect((await admin('PATCH', path, { defaultClusterId: cluster.id })).status).toBe(422);
  });
});

test('the SSH key is one of its organization, and the same each time', async () => {
  const key = async (seeded: Seeded) =>
    String((await api.call('GET', '/api/v1/clusters/ssh-key', { as: seeded.tokens.viewer })).body.publicKey);
  expect(await key(ours)).toMatch(
    new RegExp(`^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43} ballast-${ours.slug}$`),
  );
  expect(await key(ours)).toBe(await key(ours));
  expect(await key(theirs)).not.toBe(await key(ours));
});

describe('the agent', () => {
  test('is updated to what is offered, one update at a time, and rolled back to what it ran', async () => {
    const id = await living('Updated');
    const { older, newer } = releases;
    const status = await get(`/clusters/${id}/agent`);
    expect(status.body).toMatchObject({
      currentImage: older,
      availableImage: newer,
      updateAvailable: true,
      history: [],
    });
    const update = (path: string, body?: unknown) => admin('POST', `/clusters/${id}/agent/${path}`, body);
    expect((await update('update', { image: 'ballast-agent:9' })).body.errors).toMatchObject([
      { location: 'body.image' },
    ]);
    expect((await update('rollback', { image: newer })).body.errors).toMatchObject([{ location: 'body.image' }]);
    expect((await update('update', { image: older })).status).toBe(409);
    const begun = await update('update');
    expect([begun.status, begun.body]).toMatchObject([202, { toImage: newer, status: 'requested', kind: 'update' }]);
    expect((await update('update')).body.detail).toContain('is already being updated');
    expect((await get(`/clusters/${id}/agent`)).body.inProgress).toMatchObject({ id: begun.body.id, toImage: newer });
    expect((await admin('DELETE', `/clusters/${id}/agent/update`)).body.status).toBe('cancelled');
    expect((await admin('DELETE', `/clusters/${id}/agent/update`)).status).toBe(404);
    await seedAgent(api.database, id, newer);
    expect((await update('rollback', { image: older })).body).toMatchObject({ kind: 'rollback', toImage: older });
  });

  test('is not updated while nothing is heard of it, and revoked once', async () => {
    const id = await living('Silent');
    await api.database.kysely
      .updateTable('cluster_agent')
      .set({ contact: 'lost' })
      .where('cluster_id', '=', id)
      .execute();
    expect((await admin('POST', `/clusters/${id}/agent/update`)).body.detail).toContain('is not connected');
    expect((await admin('DELETE', `/clusters/${id}/agent`)).status).toBe(204);
    expect((await admin('DELETE', `/clusters/${id}/agent`)).status).toBe(409);
  });
});

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
    const rows = await api.database.kysely
      .selectFrom('cluster_slice')
      .selectAll()
      .where('cluster_id', '=', id)
      .execute();
    expect(JSON.stringify(rows)).not.toContain(hidden);
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
    await api.database.kysely
      .updateTable('cluster_slice')
      .set({ sealed_secrets: Buffer.alloc(100, 7) })
      .where('cluster_id', '=', id)
      .where('name', '=', 'moved')
      .execute();
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
