import { describe, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { at, mountedPlaces, place } from '../../test/api/mounted-place.ts';
import type { Applied } from '../../test/seeds/apply-ground.ts';

const { call, goLive } = at;

const named = [{ serviceName: 'store', processes: [{ name: 'web', volumes: ['data'] }] }];

mountedPlaces();

describe('applying', () => {
  test('409 that names the service until it is accepted, which is remembered', async () => {
    const { stage, draft, apply, variable, deployment } = await place();
    await stage(variable('1'));
    const before = await draft();
    expect([before.summary.requiresDowntime, before.changeSet.downtimeAccepted]).toEqual([true, false]);
    const refused = await apply();
    expect([refused.status, refused.body.downtime]).toMatchObject([409, named]);
    expect(refused.body.detail).toContain('"store" is down for a moment');
    expect(await draft()).toEqual(before);
    const accepted = ok<Applied>(await apply({ downtimeAccepted: true }));
    const [one] = accepted.deployments;
    expect([accepted.changeSet.downtimeAccepted, await deployment(one?.id ?? '')]).toEqual([true, true]);
    await goLive(one?.id ?? '');
    await stage(variable('2'));
    const second = await draft();
    expect([second.summary.requiresDowntime, second.changeSet.downtimeAccepted]).toEqual([true, true]);
    const again = ok<Applied>(await apply());
    expect(await deployment(again.deployments[0]?.id ?? '')).toBe(true);
  });
});

describe('redeploy and roll back', () => {
  test('a redeployment asks, and is remembered for a rollback', async () => {
    const { stage, live, serviceId, environment, variable, first } = await place();
    const redeploy = (more: object = {}) =>
      call('POST', `/services/${serviceId}/redeploy`, { environmentId: environment, ...more });
    const refused = await redeploy();
    expect([refused.status, refused.body.downtime]).toMatchObject([409, named]);
    const started = ok<{ deployment: { id: string; downtimeAccepted: boolean } }>(
      await redeploy({ downtimeAccepted: true }),
      201,
    );
    expect(started.deployment.downtimeAccepted).toBe(true);
    await goLive(started.deployment.id);
    await stage(variable('1'));
    await live();
    const back = ok<typeof started>(await call('POST', `/releases/${first}/rollback`), 201);
    expect(back.deployment.downtimeAccepted).toBe(true);
  });

  test('409 for a rollback from a release that has it', async () => {
    const { stage, live, variable, first, serviceId, environment } = await place();
    await stage(variable('1'));
    await live({ downtimeAccepted: true });
    await at.api.rows.set(
      'environment_service',
      { service_id: serviceId, environment_id: environment },
      { downtime_accepted: [] },
    );
    const refused = await call('POST', `/releases/${first}/rollback`);
    expect([refused.status, refused.body.downtime]).toMatchObject([409, named]);
    ok(await call('POST', `/releases/${first}/rollback`, { downtimeAccepted: true }), 201);
  });
});
