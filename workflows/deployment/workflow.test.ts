import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admit, type NewDeployment } from '../../db/deployments/admission.ts';
import { findDeployment } from '../../db/deployments/deployments.ts';
import { listDeploymentEvents } from '../../db/deployments/list-events.ts';
import { rolloutKey } from '../../db/deployments/rollout.ts';
import { withdraw } from '../../db/deployments/withdraw.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { createRegistryCredential } from '../../db/registry-credentials/registry-credentials.ts';
import { deleteService } from '../../db/services/removal/delete-service.ts';
import { findService } from '../../db/services/services.ts';
import { findSlice } from '../../db/workloads/cluster-slices.ts';
import { actorId } from '../../domain/actors/actors.ts';
import type { RolloutPhase } from '../../domain/deployments/stages.ts';
import { type ActorsGround, actorsGround, tester } from '../../test/actors/actors.ts';
import { until } from '../../test/ground/until.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

let ground: ActorsGround;
let stopServing: () => Promise<void>;
let organizationId: string;

beforeAll(async () => {
  ground = await actorsGround();
  stopServing = await ground.serve();
  organizationId = await seedOrganization(ground.database);
});

afterAll(async () => {
  await stopServing();
  await ground.close();
});

interface Asked {
  id: string;
  digest: string;
  place: SeededPlace;
}

const run = <T>(work: (effect: Effect) => Promise<T>) => effect(ground.database, tester, work);
const handle = ({ id }: Asked) => ground.temporal.client.workflow.getHandle(actorId('deployment', id));
const row = async ({ id }: Asked) => {
  const found = await findDeployment(ground.database.kysely, organizationId, id);
  if (found === undefined) throw new Error(`The deployment ${id} is not there.`);
  return found;
};
const becomes = (asked: Asked, state: string) => until(state, async () => (await row(asked)).state === state);
const slice = ({ place }: Asked) =>
  findSlice(
    ground.database.kysely,
    { id: place.clusterId, organizationId },
    rolloutKey(place.environmentId, place.serviceId),
  );

async function deploy(
  place: SeededPlace,
  number: number,
  more: Partial<NewDeployment> = {},
  image: Parameters<typeof seedRelease>[3] = {},
): Promise<Asked> {
  const release = await seedRelease(ground.database, place, number, image);
  const id = uuid();
  const { projectId, environmentId, serviceId } = place;
  const one = { id, environmentId, serviceId, releaseId: release.id, kind: 'deploy' as const, queue: true, ...more };
  await run((asking) => admit(asking, { organizationId, projectId }, { event: 'create', deployments: [one] }));
  await ground.delivery.deliver(actorId('deployment', id));
  return { id, digest: release.digest, place };
}

/** The report of an agent, as the API tells it to the actor. */
async function told(asked: Asked, phase: RolloutPhase, more: Record<string, unknown> = {}): Promise<void> {
  const body = { id: asked.id, digest: asked.digest, phase, at: { [phase]: new Date().toISOString() }, ...more };
  await handle(asked).signal('rollout', { id: uuid(), body });
}

async function goLive(asked: Asked): Promise<void> {
  await becomes(asked, 'preparing');
  await told(asked, 'done');
  await becomes(asked, 'live');
}

async function remove({ place }: Asked, { wait = false } = {}): Promise<void> {
  const service = await findService(ground.database.kysely, organizationId, place.serviceId);
  if (service === undefined) throw new Error('The service is not there.');
  expect(await run((deleting) => deleteService(deleting, service, { check: () => undefined, wait }))).toBe(true);
}

test('a deployment whose turn it is becomes the desired state of its cluster, and follows the agent until it is live', async () => {
  const asked = await deploy(await seedPlace(ground.database, organizationId), 1);
  await becomes(asked, 'preparing');
  const wanted = await slice(asked);
  expect(wanted?.workload).toMatchObject({
    release: '1',
    rollout: { id: asked.id, digest: asked.digest },
    image: { repository: 'registry.example.com/app', digest: asked.digest },
    processes: [{ name: 'web', kind: 'http', port: 8080, replicas: 1, internalPort: expect.any(Number) }],
    routes: [{ process: 'web' }],
  });
  for (const phase of ['starting', 'checking', 'switching', 'draining'] as const) {
    await told(asked, phase);
    await becomes(asked, phase);
  }
  await told(asked, 'done');
  expect(await handle(asked).result()).toBe('live');
  const { stages, message, waitsFor } = await row(asked);
  expect(stages.map(({ stage }) => stage)).toEqual(['queue', 'prepare', 'start', 'check', 'switch', 'drain']);
  for (const [index, { endedAt }] of stages.entries()) expect(endedAt).toBe(stages[index + 1]?.startedAt ?? endedAt);
  expect({ message, waitsFor }).toEqual({ message: null, waitsFor: null });
  const { events } = await handle(asked).fetchHistory();
  const activities = (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes != null);
  expect(activities.length).toBeLessThanOrEqual(8);
});

test('a rollout that the agent returned fails with its reason, and the live release is wanted again', async () => {
  const place = await seedPlace(ground.database, organizationId);
  const first = await deploy(place, 1);
  await goLive(first);
  const second = await deploy(place, 2);
  await becomes(second, 'preparing');
  expect((await slice(second))?.workload).toMatchObject({ release: '2' });
  const failure = { process: 'web', instance: 'web-1', exit: { code: 3 }, lines: ['no database'] };
  await told(second, 'returned', { message: 'web-1 exited with code 3.', failure });
  expect(await handle(second).result()).toBe('failed');
  expect(await row(second)).toMatchObject({ waitsFor: 'health', message: 'web-1 exited with code 3.', failure });
  expect((await slice(second))?.workload).toMatchObject({ release: '1', rollout: { id: first.id } });
});

test('the first release of a place fails: nothing runs there, and its address stays', async () => {
  const asked = await deploy(await seedPlace(ground.database, organizationId), 1);
  await becomes(asked, 'preparing');
  const hosts = async () =>
    (
      await ground.database.kysely
        .selectFrom('ingress_host')
        .select('host')
        .where('cluster_id', '=', asked.place.clusterId)
        .execute()
    ).map(({ host }) => host);
  const before = await hosts();
  expect(before).toHaveLength(1);
  await told(asked, 'returned', { message: 'It did not start.' });
  await becomes(asked, 'failed');
  expect((await slice(asked))?.workload).toMatchObject({ processes: [], environment: {} });
  expect(await hosts()).toEqual(before);
});

test('cancelled while it rolls: the cluster returns to the live release; once it is live it is too late', async () => {
  const place = await seedPlace(ground.database, organizationId);
  await goLive(await deploy(place, 1));
  const asked = await deploy(place, 2);
  await becomes(asked, 'preparing');
  const { projectId } = place;
  const cancel = { event: 'cancel', id: asked.id, because: 'person' } as const;
  await run((cancelling) => admit(cancelling, { organizationId, projectId }, cancel));
  await ground.delivery.deliver(actorId('deployment', asked.id));
  expect(await handle(asked).result()).toBe('cancelled');
  expect((await slice(asked))?.workload).toMatchObject({ release: '1' });
  const late = await run((cancelling) => admit(cancelling, { organizationId, projectId }, cancel));
  expect(late).toMatchObject({ refused: 'already-final' });
});

test('deleted while it rolls: asked to cancel, it ends, and its workload leaves the cluster with it', async () => {
  const asked = await deploy(await seedPlace(ground.database, organizationId), 1);
  await becomes(asked, 'preparing');
  await remove(asked);
  await ground.delivery.deliver(actorId('deployment', asked.id));
  expect(await handle(asked).result()).toBe('cancelled');
  expect((await slice(asked))?.removedAt).toBeInstanceOf(Date);
});

test('deleted while it rolls, with leave to end: the workload stays until then, also past the switch', async () => {
  const place = await seedPlace(ground.database, organizationId);
  const asked = await deploy(place, 1);
  await becomes(asked, 'preparing');
  await remove(asked, { wait: true });
  expect((await slice(asked))?.removedAt).toBeNull();
  await told(asked, 'done');
  expect(await handle(asked).result()).toBe('live');
  expect((await slice(asked))?.removedAt).toBeInstanceOf(Date);
  const late = await deploy(await seedPlace(ground.database, organizationId), 1);
  await becomes(late, 'preparing');
  await told(late, 'draining');
  await becomes(late, 'draining');
  await remove(late);
  expect((await slice(late))?.removedAt).toBeNull();
  await told(late, 'done');
  expect(await handle(late).result()).toBe('live');
  expect((await slice(late))?.removedAt).toBeInstanceOf(Date);
});

test('taken out of the environment while it rolls, it leaves the cluster for good', async () => {
  const asked = await deploy(await seedPlace(ground.database, organizationId), 1);
  await becomes(asked, 'preparing');
  const { environmentId, serviceId, projectId } = asked.place;
  await run(async (removing) => {
    await withdraw(removing, { organizationId, projectId, environmentId, serviceId });
    const own = tenant(removing.kysely, organizationId);
    await own.deleteFrom('environment_service').where('service_id', '=', serviceId).execute();
  });
  await ground.delivery.deliver(actorId('deployment', asked.id));
  expect(await handle(asked).result()).toBe('cancelled');
  expect((await slice(asked))?.removedAt).toBeInstanceOf(Date);
});

test('one place rolls one deployment at a time, and a project as many as it has slots', async () => {
  const place = await seedPlace(ground.database, organizationId, { concurrency: 2 });
  const other = await seedPlace(ground.database, organizationId, { beside: place });
  const third = await seedPlace(ground.database, organizationId, { beside: place });
  const first = await deploy(place, 1);
  await becomes(first, 'preparing');
  const behind = await deploy(place, 2);
  await until('it waits', async () => (await row(behind)).waitsFor === 'earlier-deployment');
  const beside = await deploy(other, 3);
  await becomes(beside, 'preparing');
  const late = await deploy(third, 4);
  await until('it waits', async () => (await row(late)).waitsFor === 'slot');
  await goLive(first);
  for (const next of [behind, late]) await ground.delivery.deliver(actorId('deployment', next.id));
  await becomes(behind, 'preparing');
  expect((await row(late)).state).toBe('pending');
  await goLive(beside);
  await ground.delivery.deliver(actorId('deployment', late.id));
  await becomes(late, 'preparing');
  await goLive(behind);
  await goLive(late);
});

test('an image of an outside registry comes with the sign-in that the organization has for it, sealed', async () => {
  const { id } = await run((creating) =>
    createRegistryCredential(creating, ground.keyring, organizationId, {
      ...{ name: uuid(), host: 'registry.example.com', username: 'ada', password: 'a secret of ada' },
    }),
  );
  const place = await seedPlace(ground.database, organizationId);
  const asked = await deploy(place, 1, {}, { image: { registryCredentialId: id } });
  await becomes(asked, 'preparing');
  const { workload } = (await slice(asked)) ?? {};
  expect(workload).toMatchObject({ image: { credential: { username: 'ada', password: '' } } });
  expect(JSON.stringify(workload)).not.toContain('a secret of ada');
});

test('an agent that knows no rollouts is told nothing: the deployment fails with what to do', async () => {
  const place = await seedPlace(ground.database, organizationId);
  const agent = ground.database.kysely.updateTable('cluster_agent').where('cluster_id', '=', place.clusterId);
  await agent.set({ protocol_minor: 1 }).execute();
  const asked = await deploy(place, 1);
  expect(await handle(asked).result()).toBe('failed');
  expect(await row(asked)).toMatchObject({
    waitsFor: 'configuration',
    message: expect.stringContaining('cluster update'),
  });
  expect(await slice(asked)).toBeUndefined();
  // Later tests may have this cluster recommended.
  await agent.set({ protocol_minor: 2 }).execute();
});

test('an environment without a cluster gets the recommended one; where there is none, it fails with what to do', async () => {
  const forget = async (place: SeededPlace) =>
    await tenant(ground.database.kysely, organizationId)
      .updateTable('environment')
      .set({ cluster_id: null })
      .where('id', '=', place.environmentId)
      .execute();
  const place = await seedPlace(ground.database, organizationId);
  await forget(place);
  const asked = await deploy(place, 1);
  await becomes(asked, 'preparing');
  await ground.database.kysely.updateTable('cluster').set({ schedulable: false }).execute();
  const late = await seedPlace(ground.database, organizationId, { beside: place });
  await forget(late);
  const failed = await deploy(late, 1);
  expect(await handle(failed).result()).toBe('failed');
  expect(await row(failed)).toMatchObject({
    waitsFor: 'configuration',
    message: expect.stringContaining(
      'The environment "Staging" has no cluster, and there is none that takes workloads',
    ),
  });
  await ground.database.kysely.updateTable('cluster').set({ schedulable: true }).execute();

  // Its agent has not come yet: the deployment waits for it instead of failing.
  const { kysely } = ground.database;
  const { contact } = await kysely.selectFrom('cluster_agent').select('contact').executeTakeFirstOrThrow();
  await kysely.updateTable('cluster_agent').set({ contact: 'never' }).execute();
  const early = await seedPlace(ground.database, organizationId, { beside: place });
  await forget(early);
  await becomes(await deploy(early, 1), 'preparing');
  await kysely.updateTable('cluster_agent').set({ contact }).execute();
});

test('other content under the name of a deployment is refused, and its events end with its end', async () => {
  const asked = await deploy(await seedPlace(ground.database, organizationId), 1);
  await becomes(asked, 'preparing');
  await told(asked, 'done', { digest: 'sha256:other' });
  expect(await handle(asked).result()).toBe('failed');
  const kinds = (
    await listDeploymentEvents(ground.database.kysely, { deploymentId: asked.id, organizationId }, { limit: 50 })
  ).map(({ kind }) => kind);
  expect(kinds[0]).toBe('requested');
  expect(kinds.at(-1)).toBe('finished');
});
