import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { promote } from '../../db/deployments/promotion/promote.ts';
import { rollForward, rolloutKey } from '../../db/deployments/rollout.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { findRelease } from '../../db/releases/releases.ts';
import { findSlice } from '../../db/workloads/cluster-slices.ts';
import { BuildGround } from '../../test/actors/grounds/build-ground.ts';
import { type SeededPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const builds = new BuildGround();
beforeAll(() => builds.open());
afterAll(() => builds.close());

const text = `
env: {LEVEL: file, MORE: file}
releaseCommand: [node, migrate.js]
processes:
  web: {port: 3000, replicas: 5, checks: {readiness: /up}}
  jobs: {kind: worker, entrypoint: [node, jobs.js], replicas: 2}
`;
const commit = 'c'.repeat(40);
const digestOf = (letter: string) => `sha256:${letter.repeat(64)}`;

async function built(place: SeededPlace, file: string | undefined, letter = 'a') {
  const id = await builds.requestCommit(place, { commit });
  await builds.becomes(id, 'running');
  await builds.pushed(place, digestOf(letter));
  const repositoryConfig = file === undefined ? { path: '' } : { path: 'ballast.yaml', text: file };
  await builds.says(id, 0, { progress: { repositoryConfig } }, { progress: { image: { digest: digestOf(letter) } } });
  await builds.ends(id, 'done');
  await builds.handle(id).result();
  return await builds.row(id);
}

async function releaseOf(id: string | null) {
  const release = await findRelease(builds.actors.database.kysely, builds.organizationId, id ?? '');
  if (release === undefined) throw new Error('There is no release.');
  return release;
}

/** What the cluster is to run of a deployment. */
async function rolled(place: SeededPlace, deploymentId: string | null) {
  const { organizationId } = builds;
  const parts = { keyring: builds.actors.keyring, ingressDomain: 'localhost' };
  await builds.run((rolling) => rollForward(rolling, parts, { deploymentId: deploymentId ?? '', organizationId }));
  const { clusterId, environmentId, serviceId } = place;
  const { kysely } = builds.actors.database;
  const slice = await findSlice(kysely, { id: clusterId, organizationId }, rolloutKey(environmentId, serviceId));
  return slice?.workload as { processes: object[]; environment: object; rollout: object };
}

test('the file is frozen with the release of its build and counts over the settings; replicas stay those of today', async () => {
  const place = await builds.place({ process: { replicas: 3 } });
  const build = await built(place, text);
  expect(build).toMatchObject({
    state: 'succeeded',
    releaseError: null,
    repositoryConfig: { status: 'ok', source: 'git', path: 'ballast.yaml', problems: [] },
  });
  const release = await releaseOf(build.releaseId);
  expect(release.file).toMatchObject({ commit, path: 'ballast.yaml', effective: { hasProcesses: true } });
  const workload = await rolled(place, build.deploymentId);
  expect(workload.processes).toMatchObject([
    { name: 'jobs', kind: 'worker', command: ['node', 'jobs.js'], replicas: 2 },
    { name: 'web', port: 3000, replicas: 3, checks: { readiness: { kind: 'http', path: '/up' } } },
  ]);
  expect(workload.rollout).toMatchObject({ releaseCommand: { command: ['node', 'migrate.js'] } });
  expect(Object.keys(workload.environment).toSorted()).toEqual(['LEVEL', 'MORE']);
});

test('who approves its deployment in production sees what the file changes', async () => {
  const place = await builds.place({ production: true });
  const { database } = builds.actors;
  const own = tenant(database.kysely, builds.organizationId);
  const live = await seedRelease(database, place, 1);
  await own
    .updateTable('environment_service')
    .set({ live_release_id: live.id })
    .where('service_id', '=', place.serviceId)
    .execute();
  const { deploymentId } = await built(place, text);
  const approval = await own
    .selectFrom('approval')
    .select('diff')
    .where('deployment_id', '=', deploymentId ?? '')
    .executeTakeFirstOrThrow();
  const items = [
    { kind: 'process.create', label: expect.stringContaining('jobs') },
    { kind: 'process.set', key: 'command', label: 'Command of jobs', to: '["node","jobs.js"]' },
    { kind: 'process.set', key: 'port', from: '8080', to: '3000' },
    { kind: 'service.set', key: 'releaseCommand', from: '[]', to: '["node","migrate.js"]' },
    { kind: 'variable.set', key: 'LEVEL', from: '', to: '"file"', secret: false },
  ].map((item) => expect.objectContaining(item));
  expect(approval.diff).toMatchObject([
    { from: { id: live.id, number: 1 }, to: { number: 2 }, items: expect.arrayContaining(items) },
  ]);
  expect(JSON.stringify(approval.diff)).not.toContain('"content"');
});

test('the settings of the environment stay as they are, and a build without the file is one without it', async () => {
  const place = await builds.place();
  const settings = async () =>
    await tenant(builds.actors.database.kysely, builds.organizationId)
      .selectFrom('environment_service')
      .select('settings')
      .where('service_id', '=', place.serviceId)
      .executeTakeFirstOrThrow();
  const before = await settings();
  const first = await built(place, text);
  expect(await settings()).toEqual(before);
  const second = await built(place, undefined, 'd');
  expect(second.repositoryConfig).toMatchObject({ status: 'absent', source: '', path: '' });
  const [one, other] = [await releaseOf(first.releaseId), await releaseOf(second.releaseId)];
  expect(other.file).toBeNull();
  expect(one.contentDigest).not.toBe(other.contentDigest);
  const workload = await rolled(place, second.deploymentId);
  expect(workload.processes).toMatchObject([{ name: 'web', port: 8080 }]);
  expect(workload.rollout).not.toHaveProperty('releaseCommand');
});

/** Another environment of its project that has the service, with the same settings. */
async function secondEnvironment({ organizationId, projectId, serviceId, clusterId }: SeededPlace): Promise<string> {
  const own = tenant(builds.actors.database.kysely, organizationId);
  const id = uuid();
  const named = { name: 'Other', slug: 'other', namespace: id, production: false };
  await own
    .insertInto('environment')
    .values({ id, project_id: projectId, cluster_id: clusterId, ...named })
    .execute();
  await own.insertInto('draft').values({ environment_id: id, id: uuid() }).execute();
  const { settings } = await own
    .selectFrom('environment_service')
    .select('settings')
    .where('service_id', '=', serviceId)
    .executeTakeFirstOrThrow();
  const place = { environment_id: id, service_id: serviceId, project_id: projectId };
  await own
    .insertInto('environment_service')
    .values({ ...place, settings: sql`${JSON.stringify(settings)}::jsonb` })
    .execute();
  return id;
}

test('a promotion takes the file along', async () => {
  const from = await builds.place();
  const { releaseId } = await built(from, 'env: {LEVEL: file}', 'b');
  const { organizationId, projectId, serviceId } = from;
  const environmentId = await secondEnvironment(from);
  const promoted = await builds.run((asking) =>
    promote(
      asking,
      builds.actors.keyring,
      { organizationId, projectId, serviceId, environmentId, releaseId: releaseId ?? '' },
      { queue: true, downtimeAccepted: false, missingAccepted: true, reason: '', answerableId: undefined },
    ),
  );
  expect((await releaseOf(promoted.releaseId)).file).toEqual((await releaseOf(releaseId)).file);
});

test('a file that this control plane cannot use is no release, and the build says why', async () => {
  const place = await builds.place();
  const build = await built(place, 'processes: {web: {prot: 1}}');
  expect(build).toMatchObject({
    releaseId: null,
    releaseError: expect.stringMatching(/^ballast\.yaml cannot be used at line 1: processes\.web\.prot: /),
    repositoryConfig: { status: 'invalid', problems: [{ line: 1, path: 'processes.web.prot' }] },
  });
});

test('settings and file that do not fit each other are no release', async () => {
  const place = await builds.place({ process: { memoryLimitBytes: 67_108_864 } });
  const build = await built(place, 'processes: {web: {memory: {request: 1Gi}}}');
  expect(build.releaseId).toBeNull();
  expect(build.releaseError).toMatch(/memoryRequestBytes is more than the limit/);
});

test('an agent of before is asked without the file, and the build says so', async () => {
  const place = await builds.place();
  await builds.actors.database.kysely
    .updateTable('cluster_agent')
    .set({ protocol_minor: 6 })
    .where('cluster_id', '=', place.clusterId)
    .execute();
  const id = await builds.requestCommit(place, { commit });
  await builds.becomes(id, 'running');
  expect((await builds.row(id)).repositoryConfig).toMatchObject({
    ...{ status: 'absent', summary: expect.stringMatching(/too old to read a configuration file.*cluster update/) },
  });
  await builds.ends(id, 'failed', 'Enough.');
});
