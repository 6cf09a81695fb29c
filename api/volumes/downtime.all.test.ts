import { describe, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { at, mountedPlaces, place } from '../../test/api/mounted-place.ts';
import type { Applied } from '../../test/seeds/apply-ground.ts';

const { call, goLive } = at;

mountedPlaces();

describe('applying', () => {
  test('replicas, sizes, and the removal of the volume ask nothing; to add it again neither, but then it is asked anew', async () => {
    const { stage, draft, live, processId, variable, apply } = await place();
    const volumeId = ok<{ items: { id: string }[] }>(await call('GET', `/processes/${processId}/volumes`)).items[0]?.id;
    await stage({ kind: 'volume.grow', volumeId, value: 20 });
    expect((await draft()).summary.requiresDowntime).toBe(false);
    await live();
    await stage(variable('1'));
    await live({ downtimeAccepted: true });
    await stage({ kind: 'volume.delete', volumeId });
    expect((await draft()).summary.requiresDowntime).toBe(false);
    await live();
    const value = { mountPath: '/data', sizeBytes: 10 };
    await stage({ kind: 'volume.create', processId, key: 'data', value });
    await live();
    await stage(variable('2'));
    expect((await apply()).status).toBe(409);
  });

  test('in production the person who decides is told', async () => {
    const { stage, apply, draft, serviceId, processId, variable } = await place('production');
    const approved = async (body: object = {}) => {
      const { approval, deployments } = ok<Applied>(await apply(body));
      const detail = await call('GET', `/approvals/${approval?.id}`);
      ok(await at.decide(approval?.id));
      await goLive(deployments[0]?.id ?? '');
      return detail.body.impact as object;
    };
    const volume = { kind: 'volume.create', processId, key: 'data', value: { mountPath: '/data', sizeBytes: 10 } };
    await stage({ kind: 'service.create', serviceId }, volume);
    expect(await approved()).toMatchObject({ requiresDowntime: false, downtime: [] });
    await stage(variable('1'));
    expect((await apply()).status).toBe(409);
    const impact = await approved({ downtimeAccepted: true });
    expect(impact).toMatchObject({
      requiresDowntime: true,
      downtime: [{ name: 'store', processes: [{ name: 'web' }] }],
    });
    await stage({ kind: 'process.set', processId, key: 'replicas', value: 0 });
    expect((await draft()).summary.requiresDowntime).toBe(false);
  });
});

describe('redeploy and roll back', () => {
  test('a rollback asks; one that brings a volume back keeps one instance', async () => {
    const { stage, live, processId, environment, variable, first } = await place();
    await stage(variable('1'));
    await live({ downtimeAccepted: true });
    const volumeId = ok<{ items: { id: string }[] }>(await call('GET', `/processes/${processId}/volumes`)).items[0]?.id;
    await stage({ kind: 'volume.delete', volumeId });
    await stage({ kind: 'process.set', processId, key: 'replicas', value: 3 });
    await live();
    // Nothing is mounted now, so nothing has to end first.
    ok(await call('POST', `/releases/${first}/rollback`), 201);
    const process = await call('GET', `/processes/${processId}?environmentId=${environment}`);
    const volumes = await call('GET', `/processes/${processId}/volumes?environmentId=${environment}`);
    expect([process.body.replicas, volumes.body.items]).toMatchObject([1, [{ id: volumeId }]]);
  });
});
