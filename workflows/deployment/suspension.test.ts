import { afterAll, beforeAll, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import type { SuspensionPlace } from '../../db/deployments/suspension.ts';
import { resume, suspend } from '../../db/deployments/suspension.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { DeploymentGround } from '../../test/actors/grounds/deployment-ground.ts';
import { until } from '../../test/ground/until.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';

const at = new DeploymentGround();
const { becomes, deliver, deploy, goLive, row, run, slice, told, place: seeded } = at;

beforeAll(() => at.open());
afterAll(() => at.close());

const named = (place: SeededPlace): SuspensionPlace => ({ ...place, service: 'web', environment: 'Staging' });

async function resumed(place: SeededPlace, digest: string) {
  const { keyring } = at.actors;
  const asked = { queue: true, answerableId: undefined };
  const begun = await run((resuming) => resume(resuming, keyring, named(place), asked));
  if ('refused' in begun || begun.deploymentId === undefined) throw new Error('It was not resumed.');
  const one = { id: begun.deploymentId, digest, place };
  await deliver(one);
  await becomes(one, 'preparing');
  return one;
}

const suspendedAt = async ({ serviceId }: SeededPlace) =>
  (
    await tenant(at.actors.database.kysely, at.organizationId)
      .selectFrom('environment_service')
      .select('suspended')
      .where('service_id', '=', serviceId)
      .executeTakeFirstOrThrow()
  ).suspended;

test('suspended, nothing of it is wanted; a resumption rolls the live release in instances of its own', async () => {
  const place = await seeded({ process: { replicas: 3 } });
  const first = await deploy(place, 1);
  await goLive(first);
  const before = await slice(first);
  if (before === undefined) throw new Error('It is not wanted.');
  expect(await run((suspending) => suspend(suspending, named(place)))).toBe(true);
  const rested = await slice(first);
  expect(rested?.workload).toEqual({
    ...before.workload,
    processes: (before.workload.processes as object[]).map((process) => ({ ...process, replicas: 0 })),
  });
  expect(rested?.revision).toBeGreaterThan(before.revision);
  expect(await run((suspending) => suspend(suspending, named(place)))).toBe(false);
  expect((await slice(first))?.revision).toBe(rested?.revision);

  const cancelled = await resumed(place, first.digest);
  // As many as the settings of today say.
  expect((await slice(first))?.workload).toMatchObject({ processes: [{ replicas: 3 }], rollout: { id: cancelled.id } });
  const { projectId } = place;
  const cancel = { event: 'cancel', id: cancelled.id, because: 'person' } as const;
  await run((cancelling) => admit(cancelling, { organizationId: at.organizationId, projectId }, cancel));
  await deliver(cancelled);
  await becomes(cancelled, 'cancelled');
  expect((await slice(first))?.workload).toMatchObject({ processes: [{ replicas: 0 }], rollout: { id: first.id } });
  expect(await suspendedAt(place)).toBe(true);

  const second = await resumed(place, first.digest);
  expect((await slice(first))?.workload.release).toMatch(/^1\.\d+$/);
  await told(second, 'done');
  await becomes(second, 'live');
  expect([await suspendedAt(place), (await row(second)).kind]).toEqual([false, 'resume']);
});

test('a resumption that fails on its cluster ends the suspension, so that a deployment can mend it', async () => {
  const place = await seeded();
  const first = await deploy(place, 1);
  await goLive(first);
  await run((suspending) => suspend(suspending, named(place)));
  const again = await resumed(place, first.digest);
  await told(again, 'returned', { message: 'It did not start.' });
  await becomes(again, 'failed');
  expect(await suspendedAt(place)).toBe(false);
  expect((await slice(first))?.workload).toMatchObject({ processes: [{ replicas: 1 }], rollout: { id: first.id } });
  await becomes(await deploy(place, 2), 'preparing');
});

test('suspended while a deployment rolls, which ends by itself or is cancelled: nothing of it runs on, and what went live is resumed', async () => {
  const place = await seeded();
  const first = await deploy(place, 1);
  await goLive(first);
  const second = await deploy(place, 2);
  await becomes(second, 'preparing');
  const waiting = await deploy(place, 3);
  await expect(run((asking) => suspend(asking, named(place)))).rejects.toThrow(second.id);
  const rolling = await slice(second);
  await run((suspending) => suspend(suspending, named(place), 'wait'));
  await becomes(waiting, 'cancelled');
  expect([await suspendedAt(place), (await slice(second))?.revision]).toEqual([true, rolling?.revision]);
  await told(second, 'done');
  await becomes(second, 'live');
  expect(await suspendedAt(place)).toBe(true);
  expect((await slice(second))?.workload).toMatchObject({ processes: [{ replicas: 0 }], rollout: { id: second.id } });
  const resuming = await resumed(place, second.digest);
  await told(resuming, 'done');
  await becomes(resuming, 'live');

  const third = await deploy(place, 4);
  await becomes(third, 'preparing');
  await run((suspending) => suspend(suspending, named(place), 'cancel'));
  await deliver(third);
  await becomes(third, 'cancelled');
  expect((await slice(third))?.workload).toMatchObject({ processes: [{ replicas: 0 }], rollout: { id: resuming.id } });
  // One that is cancelled as it fails leaves it suspended, too.
  const failing = await resumed(place, second.digest);
  await run((suspending) => suspend(suspending, named(place), 'cancel'));
  await told(failing, 'returned', { message: 'It did not start.' });
  await deliver(failing);
  await until('it has ended', async () => (await row(failing)).finishedAt !== null);
  expect(await suspendedAt(place)).toBe(true);
  expect((await slice(third))?.workload).toMatchObject({ processes: [{ replicas: 0 }] });
});

test('resumed before the deployment has ended that the suspension waits for, it goes on', async () => {
  const place = await seeded();
  const first = await deploy(place, 1);
  await becomes(first, 'preparing');
  await run((suspending) => suspend(suspending, named(place), 'wait'));
  const asked = { queue: true, answerableId: undefined };
  expect(await run((lifting) => resume(lifting, at.actors.keyring, named(place), asked))).toEqual({
    deploymentId: undefined,
  });
  await told(first, 'done');
  await becomes(first, 'live');
  expect((await slice(first))?.workload).toMatchObject({ processes: [{ replicas: 1 }] });
});
