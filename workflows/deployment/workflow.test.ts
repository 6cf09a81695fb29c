import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { listDeploymentEvents } from '../../db/deployments/deployment-events.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { createRegistryCredential } from '../../db/registry-credentials/registry-credentials.ts';
import { DeploymentGround } from '../../test/actors/grounds/deployment-ground.ts';
import { until } from '../../test/ground/until.ts';
import type { SeededPlace } from '../../test/seeds/seed-place.ts';

const at = new DeploymentGround();
const { becomes, deliver, deploy, goLive, handle, row, run, slice, told, place: seeded } = at;

beforeAll(() => at.open());
afterAll(() => at.close());

test('a deployment whose turn it is becomes the desired state of its cluster, and follows the agent until it is live', async () => {
  const asked = await deploy(await seeded(), 1);
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
  const place = await seeded();
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
  const asked = await deploy(await seeded(), 1);
  await becomes(asked, 'preparing');
  const hosts = async () =>
    (
      await at.actors.database.kysely
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
  const place = await seeded();
  await goLive(await deploy(place, 1));
  const asked = await deploy(place, 2);
  await becomes(asked, 'preparing');
  const { projectId } = place;
  const cancel = { event: 'cancel', id: asked.id, because: 'person' } as const;
  await run((cancelling) => admit(cancelling, { organizationId: at.organizationId, projectId }, cancel));
  await deliver(asked);
  expect(await handle(asked).result()).toBe('cancelled');
  expect((await slice(asked))?.workload).toMatchObject({ release: '1' });
  const late = await run((cancelling) => admit(cancelling, { organizationId: at.organizationId, projectId }, cancel));
  expect(late).toMatchObject({ refused: 'already-final' });
});

test('one place rolls one deployment at a time, and a project as many as it has slots', async () => {
  const place = await seeded({ concurrency: 2 });
  const other = await seeded({ beside: place });
  const third = await seeded({ beside: place });
  const first = await deploy(place, 1);
  await becomes(first, 'preparing');
  const behind = await deploy(place, 2);
  await until('it waits', async () => (await row(behind)).waitsFor === 'earlier-deployment');
  const beside = await deploy(other, 3);
  await becomes(beside, 'preparing');
  const late = await deploy(third, 4);
  await until('it waits', async () => (await row(late)).waitsFor === 'slot');
  await goLive(first);
  for (const next of [behind, late]) await deliver(next);
  await becomes(behind, 'preparing');
  expect((await row(late)).state).toBe('pending');
  await goLive(beside);
  await deliver(late);
  await becomes(late, 'preparing');
});

test('an image of an outside registry comes with the sign-in that the organization has for it, sealed', async () => {
  const { id } = await run((creating) =>
    createRegistryCredential(creating, at.actors.keyring, at.organizationId, {
      ...{ name: uuid(), host: 'registry.example.com', username: 'ada', password: 'a secret of ada' },
    }),
  );
  const place = await seeded();
  const asked = await deploy(place, 1, {}, { image: { registryCredentialId: id } });
  await becomes(asked, 'preparing');
  const { workload } = (await slice(asked)) ?? {};
  expect(workload).toMatchObject({ image: { credential: { username: 'ada', password: '' } } });
  expect(JSON.stringify(workload)).not.toContain('a secret of ada');
});

test('a sign-in that is not for the project reaches no cluster', async () => {
  const { id } = await run((creating) =>
    createRegistryCredential(creating, at.actors.keyring, at.organizationId, {
      ...{ name: uuid(), host: 'registry.example.com', username: 'ada', password: 'a secret of ada' },
      allowed: { allProjects: false, projectIds: [] },
    }),
  );
  const asked = await deploy(await seeded(), 1, {}, { image: { registryCredentialId: id } });
  await becomes(asked, 'preparing');
  const { workload } = (await slice(asked)) ?? {};
  expect(workload).toMatchObject({ image: { repository: 'registry.example.com/app' } });
  expect(workload).not.toHaveProperty('image.credential');
});

test('an agent that knows no rollouts is told nothing: the deployment fails with what to do', async () => {
  const place = await seeded();
  const agent = at.actors.database.kysely.updateTable('cluster_agent').where('cluster_id', '=', place.clusterId);
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
    await tenant(at.actors.database.kysely, at.organizationId)
      .updateTable('environment')
      .set({ cluster_id: null })
      .where('id', '=', place.environmentId)
      .execute();
  const place = await seeded();
  await forget(place);
  const asked = await deploy(place, 1);
  await becomes(asked, 'preparing');
  const own = tenant(at.actors.database.kysely, at.organizationId);
  await own.updateTable('cluster').set({ schedulable: false }).execute();
  const late = await seeded({ beside: place });
  await forget(late);
  const failed = await deploy(late, 1);
  expect(await handle(failed).result()).toBe('failed');
  expect(await row(failed)).toMatchObject({
    waitsFor: 'configuration',
    message: expect.stringContaining(
      'The environment "Staging" has no cluster, and there is none that takes workloads',
    ),
  });
  await own.updateTable('cluster').set({ schedulable: true }).execute();

  // Its agent has not come yet: the deployment waits for it instead of failing.
  const { contact } = await own.selectFrom('cluster_agent').select('contact').executeTakeFirstOrThrow();
  await own.updateTable('cluster_agent').set({ contact: 'never' }).execute();
  const early = await seeded({ beside: place });
  await forget(early);
  await becomes(await deploy(early, 1), 'preparing');
  await own.updateTable('cluster_agent').set({ contact }).execute();
});

test('other content under the name of a deployment is refused, and its events end with its end', async () => {
  const asked = await deploy(await seeded(), 1);
  await becomes(asked, 'preparing');
  await told(asked, 'done', { digest: 'sha256:other' });
  expect(await handle(asked).result()).toBe('failed');
  const kinds = (
    await listDeploymentEvents(
      at.actors.database.kysely,
      { deploymentId: asked.id, organizationId: at.organizationId },
      { limit: 50 },
    )
  ).map(({ kind }) => kind);
  expect(kinds[0]).toBe('requested');
  expect(kinds.at(-1)).toBe('finished');
});
