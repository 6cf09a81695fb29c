import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refreshApproval } from '../../db/approvals/refresh.ts';
import { cancelBuild } from '../../db/builds/cancel-build.ts';
import { findDeployment } from '../../db/deployments/deployments.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { findRelease } from '../../db/releases/releases.ts';
import { taskQueue } from '../../temporal/connection/task-queue.ts';
import { BuildGround } from '../../test/actors/grounds/build-ground.ts';
import { until } from '../../test/ground/until.ts';
import { seedRelease } from '../../test/seeds/seed-place.ts';

const builds = new BuildGround();
beforeAll(() => builds.open());
afterAll(() => builds.close());

const digest = `sha256:${'a'.repeat(64)}`;
const image = { progress: { image: { digest } } };

test('what was built is released with the settings that are applied, and deployed', async () => {
  const place = await builds.place();
  const id = await builds.request(place);
  await builds.becomes(id, 'running');
  expect(await builds.command(id)).toMatchObject({ kind: 'build', state: 'queued' });
  await builds.pushed(place, digest);
  await builds.says(id, 0, { text: 'one\ntwo\n' }, { progress: { engine: 'auto', kind: 'static' } }, image);
  await builds.ends(id, 'done');
  expect(await builds.handle(id).result()).toBe('succeeded');
  const { organizationId } = builds;
  const build = await builds.row(id);
  expect(build).toMatchObject({ number: 1, kind: 'static', state: 'succeeded', releaseError: null, logLines: 2 });
  expect(build.imageRef).toMatch(new RegExp(`[a-z0-9]@${digest}$`));
  const { kysely } = builds.actors.database;
  const release = await findRelease(kysely, organizationId, build.releaseId ?? '');
  expect(release).toMatchObject({ buildId: id, imageRef: build.imageRef });
  const deployment = await findDeployment(kysely, organizationId, build.deploymentId ?? '');
  expect(deployment).toMatchObject({ kind: 'deploy', releaseId: build.releaseId, serviceId: place.serviceId });
});

test('the words of the person who asked for it are those of its deployment, and shown to who approves that', async () => {
  const { database, keyring } = builds.actors;
  const { organizationId } = builds;
  const place = await builds.place({ production: true });
  const id = await builds.request(place, { title: 'A faster checkout' });
  await builds.becomes(id, 'running');
  await builds.pushed(place, digest);
  await builds.says(id, 0, image);
  await builds.ends(id, 'done');
  expect(await builds.handle(id).result()).toBe('succeeded');
  const build = await builds.row(id);
  expect(build.title).toBe('A faster checkout');
  const approvals = () =>
    tenant(database.kysely, organizationId)
      .selectFrom('approval')
      .innerJoin('deployment', 'deployment.id', 'approval.deployment_id')
      .select(['approval.id', 'approval.reason', 'deployment.change_set_message as message'])
      .where('deployment.service_id', '=', place.serviceId)
      .where('approval.decision', 'is', null)
      .execute();
  const shown = { reason: 'Build #1: A faster checkout', message: 'A faster checkout' };
  const [held] = await approvals();
  expect(held).toMatchObject(shown);
  // One that is stale is asked for anew, with the same words.
  const { projectId } = place;
  const of = { id: held?.id ?? '', organizationId, projectId };
  await builds.run((refreshing) => refreshApproval(refreshing, keyring, of));
  const again = await approvals();
  expect(again).toMatchObject([shown]);
  expect(again[0]?.id).not.toBe(held?.id);
});

test('a process with a volume is not stopped unless that was accepted: the build says what to do, and another one knows it', async () => {
  const volumes = { [uuid()]: { name: 'data', mountPath: '/data', sizeBytes: 10, storageClass: '' } };
  const place = await builds.place({ process: { volumes } });
  const { database } = builds.actors;
  const live = await seedRelease(database, place, 1, { process: { volumes } });
  await tenant(database.kysely, builds.organizationId)
    .updateTable('environment_service')
    .set({ live_release_id: live.id })
    .where('service_id', '=', place.serviceId)
    .execute();
  await builds.pushed(place, digest);
  const built = async (more: { downtimeAccepted?: boolean } = {}) => {
    const id = await builds.request(place, more);
    await builds.becomes(id, 'running');
    await builds.says(id, 0, image);
    await builds.ends(id, 'done');
    expect(await builds.handle(id).result()).toBe('succeeded');
    const { deploymentId, releaseError } = await builds.row(id);
    return { deployed: deploymentId !== null, releaseError };
  };
  expect(await built()).toEqual({
    deployed: false,
    releaseError: expect.stringMatching(/web \(data\)\. Deploy release #2 and accept the downtime\.$/),
  });
  expect(await built({ downtimeAccepted: true })).toEqual({ deployed: true, releaseError: null });
  // The same volumes: it is remembered.
  expect(await built()).toEqual({ deployed: true, releaseError: null });
});

test('an image that was asked for alone is not released', async () => {
  const place = await builds.place();
  const id = await builds.request(place, { deploys: false });
  await builds.becomes(id, 'running');
  await builds.pushed(place, digest);
  await builds.says(id, 0, image);
  await builds.ends(id, 'done');
  expect(await builds.handle(id).result()).toBe('succeeded');
  expect(await builds.row(id)).toMatchObject({ releaseId: null, deploymentId: null, releaseError: null });
});

test('the agent says why it failed; one that was interrupted cannot say', async () => {
  const place = await builds.place();
  const failed = await builds.request(place);
  await builds.becomes(failed, 'running');
  await builds.ends(failed, 'failed', 'The step install ended with code 1.');
  expect(await builds.handle(failed).result()).toBe('failed');
  expect(await builds.row(failed)).toMatchObject({ message: 'The step install ended with code 1.', releaseId: null });
  const unknown = await builds.request(place);
  await builds.becomes(unknown, 'running');
  await builds.ends(unknown, 'unknown');
  expect(await builds.handle(unknown).result()).toBe('failed');
  expect((await builds.row(unknown)).message).toMatch(/interrupted/);
});

test('two at once on a cluster, one of a service; each that ends calls the next', async () => {
  const first = await builds.place();
  const [second, third] = [await builds.place({ beside: first }), await builds.place({ beside: first })];
  const ids = [await builds.request(first), await builds.request(first), await builds.request(second)];
  await builds.becomes(ids[0] ?? '', 'running');
  await builds.becomes(ids[2] ?? '', 'running');
  const last = await builds.request(third);
  await until('it says for what it waits', async () => (await builds.row(last)).message !== null);
  expect((await builds.row(last)).message).toBe('Waits for one of 2 builds that are running on the cluster.');
  expect((await builds.row(ids[1] ?? '')).message).toMatch(/^Waits for the build of this service/);
  await builds.ends(ids[0] ?? '', 'failed', 'no');
  await builds.handle(ids[0] ?? '').result();
  await builds.deliver(ids[1] ?? '');
  await builds.becomes(ids[1] ?? '', 'running');
  expect((await builds.row(last)).state).toBe('queued');
});

test('with no worker up a queued build is cancelled, a running one decided, and another one finished by its agent', async () => {
  const place = await builds.place();
  const other = await builds.place({ beside: place });
  const [running, built] = [await builds.request(place), await builds.request(other)];
  await builds.becomes(running, 'running');
  await builds.becomes(built, 'running');
  const queued = await builds.request(place);
  await builds.stop();
  await builds.run((deciding) => cancelBuild(deciding, queued, 'web'));
  expect((await builds.row(queued)).state).toBe('cancelled');
  await expect(builds.run((deciding) => cancelBuild(deciding, queued, 'web'))).rejects.toThrow(/cancelled already/);
  await builds.run((deciding) => cancelBuild(deciding, running, 'web'));
  await builds.pushed(other, digest);
  await builds.says(built, 0, image);
  await builds.ends(built, 'done');
  await builds.deliver(queued);
  await builds.deliver(running);
  await builds.serve();
  expect(await builds.handle(queued).result()).toBe('cancelled');
  // Nobody has taken the command, so it ends with the decision.
  await until('the command is cancelled', async () => (await builds.command(running))?.state === 'cancelled');
  await builds.deliver(running);
  expect(await builds.handle(running).result()).toBe('cancelled');
  expect(await builds.handle(built).result()).toBe('succeeded');
  expect((await builds.row(built)).deploymentId).not.toBeNull();
});

test('a workflow that is started again from its row goes on with what was decided meanwhile', async () => {
  const place = await builds.place();
  const id = await builds.request(place);
  await builds.becomes(id, 'running');
  await builds.handle(id).terminate('as if it were lost');
  const { revision } = await builds.actors.database.kysely
    .selectFrom('build')
    .select('revision')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const handle = await builds.actors.temporal.client.workflow.start('build', {
    workflowId: `build/${id}`,
    taskQueue,
    args: [{ buildId: id, organizationId: builds.organizationId, state: 'running', revision, cancelRequested: true }],
  });
  await until('the command is cancelled', async () => (await builds.command(id))?.state === 'cancelled');
  await builds.deliver(id);
  expect(await handle.result()).toBe('cancelled');
});
