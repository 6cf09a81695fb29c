import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { findDeployment } from '../../db/deployments/deployments.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { actorStart } from '../../db/workflows/actor-rows.ts';
import { tester } from '../../test/actors/actors.ts';
import { skippingGround } from '../../test/actors/grounds/skipping-ground.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';
import { rolloutMillis } from './descriptor.ts';

/** The phase after which nothing more is heard. */
const silences = [undefined, 'starting', 'checking', 'switching', 'draining'];

const { ground, skips, start } = await skippingGround();

describe.skipIf(!skips)('no deployment is in progress for ever', () => {
  test.each(silences)('an agent that says nothing after %s ends it within two hours', async (phase) => {
    const { database } = ground;
    const organizationId = await seedOrganization(database);
    const place = await seedPlace(database, organizationId);
    const { projectId, environmentId, serviceId } = place;
    const release = await seedRelease(database, place, 1);
    const id = uuid();
    const one = { id, environmentId, serviceId, releaseId: release.id, kind: 'deploy' as const, queue: true };
    const project = { organizationId, projectId };
    await effect(database, tester, (asking) => admit(asking, project, { event: 'create', deployments: [one] }));
    // Nothing else tells it: the relay and the other Temporal know nothing of this one.
    await tenant(database.kysely, organizationId).deleteFrom('outbox').execute();
    const begun = await actorStart(database.kysely, 'deployment', id);
    if (begun === undefined) throw new Error(`There is no deployment ${id}.`);
    const { state, input } = begun;
    const handle = await start({ kind: 'deployment', rowId: id, organizationId, state, input });
    if (phase !== undefined) {
      const body = { id, digest: release.digest, phase, at: { [phase]: new Date().toISOString() } };
      await handle.signal('rollout', { id: uuid(), body });
    }
    expect(await handle.result()).toBe('failed');
    // Somebody watches the first minute, so that what is waited for is said early in it.
    const { events } = await handle.fetchHistory();
    const waits = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
      timer ? [Number(timer.startToFireTimeout?.seconds)] : [],
    );
    expect(waits.slice(0, 4)).toEqual([15, 30, 60, 60]);
    const { startTime, closeTime } = await handle.describe();
    // Times of a server that skips them: no other clock is in these.
    const took = (closeTime?.getTime() ?? 0) - startTime.getTime();
    expect(took).toBeGreaterThanOrEqual(rolloutMillis);
    expect(took).toBeLessThan(2 * rolloutMillis);
    const row = await findDeployment(database.kysely, organizationId, id);
    expect(row).toMatchObject({ state: 'failed', message: expect.stringContaining('did not finish it within') });
    expect(row?.stages.filter(({ endedAt }) => endedAt === undefined)).toEqual([]);
  });
});
