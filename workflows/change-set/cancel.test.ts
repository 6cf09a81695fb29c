import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelChangeSet } from '../../db/change-sets/retry.ts';
import { admit } from '../../db/deployments/admission.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { type Asked, DeploymentGround } from '../../test/actors/grounds/deployment-ground.ts';
import { until } from '../../test/ground/until.ts';
import { type SeededPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const at = new DeploymentGround();
const { becomes, deliver, goLive, row, run, slice, told, place: seeded } = at;

beforeAll(() => at.open());
afterAll(() => at.close());

const by = { id: 'tester', name: 'Tester' };
const own = () => tenant(at.actors.database.kysely, at.organizationId);

/** A change set that is applying, with a deployment at each of these places, in a project of so many slots. */
async function applying(places: readonly SeededPlace[]): Promise<{ id: string; members: Asked[] }> {
  const [first] = places as [SeededPlace];
  const { projectId, environmentId } = first;
  const id = uuid();
  const members: (Asked & { releaseId: string })[] = [];
  for (const place of places) {
    const release = await seedRelease(at.actors.database, place, 1);
    members.push({ id: uuid(), digest: release.digest, place, releaseId: release.id });
  }
  await run(async (asking) => {
    await tenant(asking.kysely, at.organizationId)
      .insertInto('change_set')
      .values({
        ...{ id, project_id: projectId, environment_id: environmentId, state: 'applying', source: 'api' },
        ...{ applied_at: new Date(), requested_by_kind: 'user', requested_by_id: by.id, requested_by_name: by.name },
      })
      .execute();
    const deployments = members.map(({ id: one, releaseId, place: { serviceId } }) => ({
      ...{ id: one, environmentId, serviceId, releaseId, kind: 'change-set' as const, queue: true, changeSetId: id },
    }));
    await admit(asking, { organizationId: at.organizationId, projectId }, { event: 'create', deployments });
    asking.tell({ start: 'change-set', id, organizationId: at.organizationId });
  });
  for (const member of members) await deliver(member);
  await at.actors.delivery.deliver(actorId('change-set', id));
  return { id, members };
}

const cancel = (id: string, { projectId, environmentId }: SeededPlace) =>
  run((cancelling) => {
    const ref = { id, organizationId: at.organizationId, projectId, environmentId };
    const set = { ...ref, state: 'applying' as const, title: '', appliedAt: new Date() };
    return cancelChangeSet(cancelling, at.actors.keyring, set, by);
  });
const ended = async (id: string) => {
  await at.actors.delivery.deliver(actorId('change-set', id));
  const handle = at.actors.temporal.client.workflow.getHandle(actorId('change-set', id));
  const result = await handle.result();
  const found = await own().selectFrom('change_set').select('state').where('id', '=', id).executeTakeFirstOrThrow();
  return [result, found.state];
};

test('what waits ends at once, what rolls returns to what was live, and nothing of it live it is cancelled', async () => {
  const place = await seeded({ concurrency: 1 });
  const { id, members } = await applying([place, await seeded({ beside: place })]);
  const [rolling, waiting] = members as [Asked, Asked];
  await becomes(rolling, 'preparing');
  expect(await cancel(id, place)).toBe(2);
  expect([(await row(waiting)).state, (await row(rolling)).state]).toEqual(['cancelled', 'preparing']);
  // As if the process had died between the commit and the deliveries: the relay delivers, and repeats some.
  for (const _ of [1, 2]) for (const member of members) await deliver(member);
  await becomes(rolling, 'cancelled');
  expect((await slice(rolling))?.workload).toMatchObject({ processes: [] });
  expect(await ended(id)).toEqual(['cancelled', 'cancelled']);
  await expect(cancel(id, place)).rejects.toThrow('has ended');
});

test('what went live stays, and the change set is failed', async () => {
  const place = await seeded({ concurrency: 1 });
  const { id, members } = await applying([place, await seeded({ beside: place })]);
  const [first, second] = members as [Asked, Asked];
  await goLive(first);
  await deliver(second);
  await becomes(second, 'preparing');
  await cancel(id, place);
  await deliver(second);
  await becomes(second, 'cancelled');
  expect(await ended(id)).toEqual(['failed', 'failed']);
  expect((await row(first)).state).toBe('live');
});

test('once all of it serves there is nothing to cancel', async () => {
  const place = await seeded();
  const { id, members } = await applying([place]);
  const [only] = members as [Asked];
  await becomes(only, 'preparing');
  await told(only, 'draining');
  await becomes(only, 'draining');
  await expect(cancel(id, place)).rejects.toThrow('Nothing of the change set can be cancelled any more');
  await told(only, 'done');
  await until('it is live', async () => (await row(only)).state === 'live');
  expect(await ended(id)).toEqual(['applied', 'applied']);
});

test('a rerun rolls the same release under its own name, one of the live release in instances of its own', async () => {
  const place = await seeded();
  const { projectId, environmentId, serviceId } = place;
  const first = await at.deploy(place, 1);
  await becomes(first, 'preparing');
  await told(first, 'returned', { message: 'It did not start.' });
  await becomes(first, 'failed');
  const again = async (of: Asked) => {
    const { releaseId } = await row(of);
    const one = {
      id: uuid(),
      environmentId,
      serviceId,
      releaseId,
      kind: 'rerun' as const,
      queue: true,
      rerunOf: of.id,
    };
    const project = { organizationId: at.organizationId, projectId };
    await run((asking) => admit(asking, project, { event: 'create', deployments: [one] }));
    const asked = { ...of, id: one.id };
    await deliver(asked);
    await becomes(asked, 'preparing');
    return asked;
  };
  const second = await again(first);
  expect((await slice(second))?.workload).toMatchObject({ release: '1', rollout: { id: second.id } });
  await told(second, 'done');
  await becomes(second, 'live');
  expect(await row(first)).toMatchObject({ state: 'failed', rerunId: second.id });
  const third = await again(second);
  expect((await slice(third))?.workload).toMatchObject({ release: expect.stringMatching(/^1\.\d+$/) });
});
