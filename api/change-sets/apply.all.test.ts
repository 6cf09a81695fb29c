import { describe, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { applyGround, imageDigests as digests } from '../../test/seeds/apply-ground.ts';

const at = applyGround();
const { apply, applyOf, call, create, draft, finish, goLive, releaseOf, replicas, stage, variable } = at;

describe('applying', () => {
  test('what failed is not live, and is deployed again as it is', async () => {
    const drift = async () =>
      ok<{ services: { drift: boolean }[] }>(await call('GET', `/environments/${at.staging}/overview`)).services[0]
        ?.drift;
    await stage(at.staging, create(), variable('A', '1'));
    expect(await drift()).toBe(false);
    const first = await apply(at.staging);
    expect(await drift()).toBe(false);
    await finish(first.deployments[0]?.id ?? '', 'failed');
    expect(await drift()).toBe(true);
    const again = await apply(at.staging, { deployServiceIds: [at.service.serviceId] });
    expect(again.deployments).toMatchObject([{ serviceId: at.service.serviceId }]);
    expect(await drift()).toBe(false);
    await goLive(again.deployments[0]?.id ?? '');
    expect(await drift()).toBe(false);
    expect(await releaseOf(again.deployments[0]?.releaseId ?? '')).toMatchObject({ number: 2, variableKeys: ['A'] });
    await stage(at.staging, variable('A', '2'));
    await finish((await apply(at.staging)).deployments[0]?.id ?? '', 'cancelled');
    expect(await drift()).toBe(true);
    const { serviceId } = at.service;
    const differing = async () =>
      ok<{ items: object[] }>(await call('GET', `/services/${serviceId}/drift?environmentId=${at.staging}`)).items;
    expect(await differing()).toEqual([
      { kind: 'variable.set', key: 'A', label: 'Variable A', from: '"1"', to: '"2"', secret: false },
    ]);
    const secret = (value: string) => variable('S', value, { secret: true });
    await stage(at.staging, { kind: 'variable.unset', serviceId, key: 'A' }, secret('old'), replicas(3));
    await stage(at.staging, variable('OWN', 'v'), variable('REF', '${{OWN}}-x'));
    await goLive((await apply(at.staging)).deployments[0]?.id ?? '');
    expect(await differing()).toEqual([]);
    await stage(at.staging, secret('new'), variable('B', ''), replicas(2));
    await finish((await apply(at.staging)).deployments[0]?.id ?? '', 'failed');
    expect(await differing()).toEqual([
      { kind: 'process.set', key: 'replicas', label: 'Replicas of web', from: '3', to: '2', secret: false },
      { kind: 'variable.set', key: 'B', label: 'Variable B', from: '', to: '""', secret: false },
      { kind: 'variable.set', key: 'S', label: 'Variable S', from: '', to: '', secret: true },
    ]);
    const { services } = (await call('GET', `/environments/${at.staging}/overview`)).body as { services: object[] };
    const drifting = ['Replicas of web', 'Variable B', 'Variable S'];
    expect(services).toMatchObject([{ drift: true, driftCount: 3, drifting }]);
    const why = await call('GET', `/services/${serviceId}/why?environmentId=${at.staging}`);
    expect(why.body.drift).toMatchObject([
      { serviceId, lines: [{ topic: 'what', text: expect.stringContaining('3 changes of') }, {}, {}, {}] },
    ]);
    // Rolled back, the settings are those of its release again, secrets included.
    const before = ok<{ items: { id: string; number: number }[] }>(
      await call('GET', `/services/${serviceId}/releases`),
    );
    const second = before.items.find(({ number }) => number === 2)?.id;
    const rolled = await call('POST', `/releases/${second}/rollback`);
    await goLive((rolled.body.deployment as { id: string }).id);
    expect(await differing()).toEqual([]);
    expectProblem(await applyOf(at.staging, { deployServiceIds: [at.projectId] }), 422, at.projectId);
  });

  test('the image of a change that was not approved is not that of the next one', async () => {
    await stage(at.production, create());
    const first = await apply(at.production);
    expect((await at.decide(first.approval?.id, 'approved')).status).toBe(200);
    await goLive(first.deployments[0]?.id ?? '');
    at.tagged = digests[1];
    const row = await at.api.rows.one('environment_service', { service_id: at.service.serviceId });
    const source = { serviceId: at.service.serviceId, key: 'source', value: row.settings.source };
    const { items } = await stage(at.production, { kind: 'service.set', ...source });
    const second = await apply(at.production);
    expect((await releaseOf(second.deployments[0]?.releaseId ?? '')).imageRef).toContain(digests[1]);
    expect((await at.decide(second.approval?.id, 'rejected')).status).toBe(200);
    await call('DELETE', `/change-sets/items/${(items[0] as { id: string }).id}`);
    const { changeSet } = await draft(at.production);
    await call('DELETE', `/change-sets/${changeSet.id}`);
    await stage(at.production, variable('A', '1'));
    const third = await apply(at.production);
    expect((await releaseOf(third.deployments[0]?.releaseId ?? '')).imageRef).toContain(digests[0]);
  });
});
