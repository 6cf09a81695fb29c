import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { storeHistoryPage } from '../db/engine/archive/history-archive.ts';
import { tenant } from '../db/postgres/tenant.ts';
import { rolloutKey } from '../domain/deployments/workload-of.ts';
import { recordedHistory } from '../test/actors/recorded-history.ts';
import { facts, observedSlice } from '../test/agents/peer-agent.ts';
import { joinedCluster, observed, shopFile } from '../test/clusters/joined-cluster.ts';
import { eventsOf } from '../test/commands/command-host.ts';
import { until } from '../test/ground/until.ts';
import { seedInstance, seedReleases } from '../test/seeds/seed-cluster.ts';
import { seedDeployment, seedPlace, seedRelease } from '../test/seeds/seed-place.ts';
import { actorKinds } from '../workflows/descriptors.ts';

const joined = await joinedCluster();
const { api, ours, agent, clusterId, directory, ballast } = joined;
afterAll(() => joined.close());

/** An agent's answer to a command: some output, then the end. */
async function serveOne(kind: string, end: (id: string) => Promise<unknown>): Promise<void> {
  const command = await until('the command is delivered', async () =>
    (await agent.work(1_000, 1)).commands.find(({ body }) => body.kind === kind),
  );
  await end(command.id);
}

const piece = (number: number, stream: 'stdout' | 'stderr', text: string) => ({
  number,
  stream,
  data: Buffer.from(text).toString('base64'),
});

test('apply waits until the agent says that it is in effect, ps shows it', async () => {
  const path = join(directory, 'app.yaml');
  writeFileSync(path, shopFile);
  expect((await ballast(['cluster', 'apply', path, '--dry-run'])).out).toBe('shop would be created\n');
  const applying = ballast(['cluster', 'apply', path, '--json']);
  await until('the agent is told of it', async () => (await agent.work(0, 1)).desired?.slices[0]);
  await agent.report([observed('shop', { appliedRevision: 1 })]);
  const applied = await applying;
  expect([applied.code, JSON.parse(applied.out)]).toMatchObject([0, { items: [{ name: 'shop', state: 'applied' }] }]);
  const [waits, ...further] = eventsOf(applied);
  expect(waits).toMatchObject({ event: 'workload', workload: 'shop', state: 'pending', instances: {} });
  expect(further.at(-1)).toMatchObject({ event: 'workload', state: 'applied', instances: { ready: 1 } });
  expect(applied.err).not.toContain('✓');
  const listed = await ballast(['cluster', 'ps']);
  expect(listed.out).toMatch(/^web-shop01 +shop +one +ready +1 +20/m);
  const shown = await ballast(['cluster', 'show']);
  expect(shown.out).toMatch(/^driver +process, v24$/m);
  expect(shown.out).toContain('Put only what you trust on it.');
  expect((await ballast(['cluster', 'list'])).out).toMatch(/^berlin +Berlin /m);
});

test('show says what builds get, once the agent has said it', async () => {
  const shown = async () =>
    (await ballast(['cluster', 'show'])).out.split('\n').find((line) => line.startsWith('builds get'));
  expect(await shown()).toBeUndefined();
  const buildLimits = { memoryBytes: 6 * 2 ** 30, diskBytes: 20 * 2 ** 30, seconds: 1_800 };
  await agent.heartbeat([], { ...facts, buildLimits });
  const most = await until('what it said is shown', shown);
  expect(most).toMatch(/^builds get +at most 6 GB of memory, 20 GB of disk, 30 min$/);
  await agent.heartbeat([], { ...facts, buildLimits: { ...buildLimits, cpuMilli: 1_500 } });
  await until('its cores are shown', async () => (await shown())?.endsWith(', 30 min, 1.5 cores'));
  await agent.heartbeat([], facts);
  await until('nothing is built there', async () => (await shown()) === undefined);
});

test('apply fails with exit code 1 when the agent says why it cannot be', async () => {
  const applying = ballast(['cluster', 'apply', '-', '--json'], { input: shopFile.replaceAll('shop', 'broken') });
  const slice = await until('the agent is told of it', async () =>
    (await agent.work(1, 1)).desired?.slices.find(({ key }) => key === 'workload/broken'),
  );
  const { revision } = slice;
  const crashed = { run: 3, code: 7, at: new Date().toISOString() };
  const instance = {
    id: 'web-b1',
    process: 'web',
    release: 'one',
    node: 'one',
    state: 'waiting' as const,
    run: 3,
    exit: crashed,
  };
  await agent.report([
    observedSlice(slice.key, { revision: revision - 1, error: 'Of the one before.', instances: [instance] }),
  ]);
  const error = 'broken/web is in a crash loop: exited with code 7, 3 restarts in 7 s.';
  await agent.report([observedSlice(slice.key, { revision, error, instances: [instance] })]);
  const { code, out, err } = await applying;
  expect([code, JSON.parse(out).items]).toMatchObject([1, [{ name: 'broken', state: 'failed', error }]]);
  expect(err).toContain('broken/web web-b1 exited with code 7 in run 3\n');
  expect(err).toContain(`ballast: broken failed: ${error}\n`);
  expect(eventsOf({ err }).at(-1)).toMatchObject({ workload: 'broken', state: 'failed', error });
  // The workload still counts as failed until the agent reports the next attempt.
  const again = await ballast(['cluster', 'apply', '-', '--no-wait'], { input: shopFile.replaceAll('shop', 'broken') });
  expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^broken .* pending /m)]);
});

test('exec passes on what is said and the exit code, logs show lines', async () => {
  const [ran] = await Promise.all([
    ballast(['cluster', 'exec', 'web-shop01', '--', 'ls', '--help']),
    serveOne('exec', async (id) => {
      await agent.output(id, [piece(0, 'stdout', 'Usage: '), piece(1, 'stderr', 'oops'), piece(2, 'stdout', 'ls\n')]);
      await agent.result(id, { exitCode: 3 });
    }),
  ]);
  expect(ran).toEqual({ code: 3, out: 'Usage: ls\n', err: 'oops' });
});

test('exec refuses an input that it would drop', async () => {
  const piped = await ballast(['cluster', 'exec', 'web-shop01', '--', 'cat'], { input: 'precious' });
  expect(piped).toMatchObject({ code: 1, out: '', err: expect.stringContaining('would get no standard input') });
});

test('restart waits for its end, and says why it failed', async () => {
  const [restarted] = await Promise.all([
    ballast(['cluster', 'restart', 'shop']),
    serveOne('restart', (id) => agent.result(id, { exitCode: 0 })),
  ]);
  expect(restarted).toEqual({ code: 0, out: 'shop is restarted.\n', err: '' });
  const [failed] = await Promise.all([
    ballast(['cluster', 'restart', 'shop', '--process', 'web']),
    serveOne('restart', (id) => agent.result(id, { outcome: 'failed', message: 'It does not become ready.' })),
  ]);
  expect(failed).toEqual({ code: 1, out: '', err: 'ballast: It does not become ready.\n' });
});

test('remove takes a workload away', async () => {
  await ballast(['cluster', 'apply', '-', '--no-wait'], { input: shopFile.replaceAll('shop', 'spare') });
  expect(await ballast(['cluster', 'remove', 'spare'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('spare is being removed'),
  });
  expect(await ballast(['cluster', 'remove', 'nothing'])).toMatchObject({ code: 1, out: '' });
});

test('prune takes away what the file does not name, events tell what happened', async () => {
  const { out } = await ballast(['cluster', 'apply', '-', '--prune', '--no-wait'], { input: shopFile });
  expect(out).toContain('broken is removed');
  const events = await ballast(['cluster', 'events']);
  expect(events.out).toMatch(/workload\.applied +.*shop/);
});

test('update asks for the offered release, and can be cancelled', async () => {
  const { newer } = await seedReleases(api.database);
  const begun = await ballast(['cluster', 'update', '--no-wait', '--json']);
  expect(JSON.parse(begun.out)).toMatchObject({ toImage: newer, status: 'requested' });
  expect((await ballast(['cluster', 'show'])).out).toContain(`, being replaced by ${newer}`);
  const cancelled = await ballast(['cluster', 'update', '--cancel']);
  expect(cancelled).toMatchObject({ code: 0, out: expect.stringMatching(/ to .+: cancelled\n$/) });
});

test.each(['update', 'rollback'] as const)('an agent’s %s that is followed is told in lines', async (kind) => {
  const { older } = await seedReleases(api.database);
  await api.database.kysely
    .insertInto('agent_update')
    .values({
      ...{ id: uuid(), organization_id: ours.organizationId, cluster_id: clusterId, kind: 'update' },
      ...{ from_image: older, to_image: 'ballast-agent:1', state: 'succeeded', finished_at: new Date() },
      ...{ requested_by_kind: 'user', requested_by_id: 'u', requested_by_name: 'Ada' },
    })
    .execute();
  const begun = ballast(['cluster', kind, ...(kind === 'rollback' ? [older] : []), '--json']);
  const path = `/api/v1/clusters/${clusterId}/agent`;
  const as = ours.tokens.admin;
  const open = await until('it is under way', async () => (await api.call('GET', path, { as })).body.inProgress);
  await api.call('DELETE', `${path}/update`, { as });
  const { code, out, err } = await begun;
  const { id } = open as { id: string };
  expect([code, JSON.parse(out)]).toMatchObject([1, { id, kind, status: 'cancelled' }]);
  expect(eventsOf({ err })).toMatchObject([
    { event: 'agent-update', updateId: id, status: 'requested' },
    { event: 'agent-update', updateId: id, status: 'cancelled' },
  ]);
});

test('search finds by a part of a name, and lists are narrowed by words', async () => {
  const [found, json, nothing, clusters, none, workflows, refused] = await Promise.all([
    ballast(['search', 'BER']),
    ballast(['search', clusterId, '--json']),
    ballast(['search', 'no', 'such', 'thing']),
    ballast(['cluster', 'list', '--query', 'erl']),
    ballast(['cluster', 'list', '-q', 'paris']),
    ballast(['workflow', 'list', '--query', 'cluster berlin']),
    ballast(['search', 'x', '--limit', '51']),
  ]);
  expect(found.out).toMatch(new RegExp(`^cluster +${clusterId} +Berlin`, 'm'));
  expect(JSON.parse(json.out).found[0]).toMatchObject({ id: clusterId, name: 'Berlin' });
  expect(nothing).toMatchObject({ code: 0, out: 'No name or id matches "no such thing".\n' });
  expect(clusters.out).toMatch(/^berlin +Berlin /m);
  expect(none.out).toBe('There are no such clusters.\n');
  expect(workflows.out).toMatch(new RegExp(`^${clusterId} +cluster +Berlin +`, 'm'));
  expect(refused).toMatchObject({ code: 2, out: '' });
});

test('workflow list, show and history tell what goes on behind it', async () => {
  const actorId = `cluster/${clusterId}`;
  const page = { actorId, runId: 'one', page: 0, organizationId: ours.organizationId };
  await storeHistoryPage(api.database.kysely, api.keyring, {
    ...page,
    bytes: await recordedHistory('cluster-deleted'),
  });
  const [unknown, listed, shown, told] = await Promise.all([
    ballast(['workflow', 'list', '--kind', 'ship']),
    ballast(['workflow', 'list', '--kind', 'cluster', '--open']),
    ballast(['workflow', 'show', actorId]),
    ballast(['workflow', 'history', clusterId, '--tail', '3']),
  ]);
  // The help does not name the kinds, so the refusal does.
  expect(unknown.code).not.toBe(0);
  expect(unknown.err).toContain(`There is no kind "ship"; there is: ${actorKinds.join(', ')}.`);
  expect(listed.out).toMatch(new RegExp(`^${clusterId} +cluster +Berlin +`, 'm'));
  expect(shown.out).toMatch(/^now +(Waits to be started\.|Temporal does not know it)/m);
  expect(told.out.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^at +after +outcome +what happened$/),
    expect.stringMatching(/The deletion of the cluster was requested$/),
    expect.stringMatching(/done +Deleted the cluster and everything in it → Deleted +Its commands have ended/),
    expect.stringMatching(/Ended: the cluster was deleted → Deleted$/),
  ]);
});

test('token prints nothing but the command to the standard output', async () => {
  const { code, out, err } = await ballast(['cluster', 'token', '--cluster', clusterId]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^printf '%s\\n' '\S+' \| sh -c ".+" ballast-install.*\n$/)]);
  expect(err).toContain('For the cluster berlin. Run this on the machine, before 20');
});

describe('what is wrong is told in a sentence', () => {
  test.each([
    [['cluster', 'show'], { BALLAST_TOKEN: '' }, 1, /^ballast: There is no API token: set BALLAST_TOKEN/],
    [['cluster', 'show'], { BALLAST_URL: 'http://127.0.0.1:1' }, 1, /does not answer \(.+\); start it with/],
    [['cluster', 'show'], { BALLAST_URL: 'http://ballast.example.com' }, 1, /would carry the credential in clear text/],
    [['cluster', 'show', '--cluster', 'paris'], {}, 2, /There is no cluster "paris"; there is: berlin\.$/],
    [['cluster', 'apply'], {}, 2, /This command needs more words: FILE/],
    [['cluster', 'apply', '/nowhere'], {}, 2, /\/nowhere cannot be read \(ENOENT\)\.$/],
    [
      ['cluster', 'exec', 'nobody', '--', 'true'],
      {},
      1,
      /^ballast: instance: is no instance that the agent sees on this cluster\.$/,
    ],
    [
      ['cluster', 'show', '--token-file', '/dev/null'],
      {},
      1,
      /^ballast: The token file \/dev\/null is empty; `\.\/ballast token create …/,
    ],
    [
      ['cluster', 'show', '--token-file', '/nowhere'],
      {},
      1,
      /cannot be read \(ENOENT\); give --token-file another one/,
    ],
    [['cluster', 'show', '--url', 'ftp://here'], {}, 1, /is no address of a control plane; set BALLAST_URL or/],
    [['cluster', 'logs', 'nobody'], {}, 1, /There is no instance and no workload "nobody" there/],
    [['cluster', 'delete'], {}, 2, /Say which cluster by --cluster/],
    [['cluster', 'delete', '--cluster', 'berlin'], {}, 2, /This deletes the cluster berlin; give --yes/],
    [['cluster', 'delete', '--cluster', 'berlin', '--yes'], {}, 1, /still has .*"shop"/],
    [
      ['cluster', 'rollback', 'ballast-agent:none'],
      {},
      1,
      /^ballast: image: is no release that this cluster ran before/,
    ],
  ] as const)('%j with %j', async (words, env, code, sentence) => {
    const ended = await ballast([...words], { env });
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err.trimEnd()).toMatch(sentence);
    expect(ended.err).not.toContain('    at ');
  });

  test('a file that is no YAML, or that holds no workloads', async () => {
    const broken = await ballast(['cluster', 'apply', '-'], { input: 'workloads: [\n' });
    expect([broken.code, broken.err]).toEqual([2, expect.stringMatching(/cannot be read at line \d+, column \d+: /)]);
    const other = await ballast(['cluster', 'apply', '-'], { input: 'services: []\n' });
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('has no list of workloads')]);
    const wrong = await ballast(['cluster', 'apply', '-'], { input: shopFile.replace('8080', '80800') });
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringMatching(/^ballast: "port" of process web of workload shop in the standard input: [^\n]+\.\n$/),
    ]);
  });
});

// Last, since commands choose a cluster by themselves while there is one.
test('ps says the release of a service by its number, not by the name of its instances', async () => {
  const place = await seedPlace(api.database, ours.organizationId);
  const { id: releaseId } = await seedRelease(api.database, place, 4);
  const live = await seedDeployment(api.database, place, releaseId, { runs_as: '4.8' });
  await tenant(api.database.kysely, ours.organizationId)
    .updateTable('environment_service')
    .set({ live_deployment_id: live })
    .where('service_id', '=', place.serviceId)
    .execute();
  const of = { key: rolloutKey(place.environmentId, place.serviceId) };
  await seedInstance(api.database, { ...place, id: place.clusterId }, of, { release: '4.8' });
  const { slug } = (await api.call('GET', `/api/v1/clusters/${place.clusterId}`, { as: ours.tokens.admin })).body;
  const { out } = await ballast(['cluster', 'ps', '--cluster', String(slug)]);
  expect(out).toMatch(/^web-\w+ +\S+ +4 +ready /m);
});
