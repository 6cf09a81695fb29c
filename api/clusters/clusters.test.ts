import { describe, expect, test } from 'vitest';
import type { Organization } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { sampleWorkload as app, madeClusters } from '../../test/seeds/made-cluster.ts';
import { seedAgent, seedReleases } from '../../test/seeds/seed-cluster.ts';

const { api, ours } = await ownApi({
  env: { PUBLIC_URL: 'https://ballast.example.com', INGRESS_DOMAIN: 'apps.example.com' },
});
const theirs = await api.organization();
const releases = await seedReleases(api.database);

const admin = (method: string, path: string, body?: unknown) => ours.tokens.admin.call(method, path, body);
const get = (path: string) => ours.tokens.viewer.get(path);
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
    expectProblem(await admin('POST', `/clusters/${id}/db-operator`), 409, 'its driver, process');
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
    expectProblem(await admin('DELETE', `/clusters/${id}`), 409, '"app"');
    await admin('DELETE', `/clusters/${id}/workloads/app`);
    expect((await admin('DELETE', `/clusters/${id}`)).status).toBe(204);
    expect((await admin('DELETE', `/clusters/${id}`)).status).toBe(409);
    expectProblem(await admin('PUT', `/clusters/${id}/workloads/app`, app()), 409, 'is being deleted');

    const { cluster } = await make('Here');
    await api.rows.set('cluster', { id: cluster.id }, { local: true });
    expectProblem(await admin('DELETE', `/clusters/${cluster.id}`), 409, 'LOCAL_CLUSTER=false');
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
  const key = async (seeded: Organization) =>
    String((await api.as(seeded.tokens.viewer).get('/clusters/ssh-key')).body.publicKey);
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
    await api.rows.set('cluster_agent', { cluster_id: id }, { contact: 'lost' });
    expect((await admin('POST', `/clusters/${id}/agent/update`)).body.detail).toContain('is not connected');
    expect((await admin('DELETE', `/clusters/${id}/agent`)).status).toBe(204);
    expect((await admin('DELETE', `/clusters/${id}/agent`)).status).toBe(409);
  });
});
