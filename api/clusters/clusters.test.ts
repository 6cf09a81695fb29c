import { afterAll, describe, expect, test } from 'vitest';
import { runningApi, type Seeded, seed } from '../../test/installation/running-api.ts';
import { sampleWorkload as app, madeClusters } from '../../test/seeds/made-cluster.ts';
import { seedAgent, seedReleases } from '../../test/seeds/seed-cluster.ts';

const api = await runningApi({
  env: { PUBLIC_URL: 'https://ballast.example.com', INGRESS_DOMAIN: 'apps.example.com' },
});
const ours = await seed(api.database);
const theirs = await seed(api.database);
const releases = await seedReleases(api.database);
afterAll(() => api.close());

const admin = (method: string, path: string, body?: unknown) =>
  api.call(method, `/api/v1${path}`, { as: ours.tokens.admin, ...(body === undefined ? {} : { body }) });
const get = (path: string) => api.call('GET', `/api/v1${path}`, { as: ours.tokens.viewer });
const { make, living } = madeClusters(() => ({ api, as: ours.tokens.admin, image: releases.older }));

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
