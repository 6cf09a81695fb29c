import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { noSource } from '../../domain/services/settings.ts';
import { facts } from '../../test/agents/peer-agent.ts';
import { joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { eventsOf } from '../../test/commands/command-host.ts';
import { until } from '../../test/ground/until.ts';
import { machine } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const joined = await joinedCluster();
const { ballast } = joined;
await joined.agent.hello({ facts: { ...facts, holds: { ...facts.holds, builds: { holds: true } } } });
const folder = join(joined.directory, 'shop');
mkdirSync(folder);
writeFileSync(join(folder, 'index.html'), '<h1>Shop</h1>');
afterAll(() => joined.close());

type Answer = Record<string, unknown> & { items: Record<string, unknown>[] };

const as = () => joined.ours.sessions.owner;
async function call(method: string, path: string, body?: object): Promise<Answer> {
  const { api } = joined;
  const answered = await api.call(method, `/api/v1${path}`, { as: as(), ...(body === undefined ? {} : { body }) });
  expect(answered.status, answered.text).toBeLessThan(300);
  return answered.body as Answer;
}

async function environment(slug: string): Promise<string> {
  const [project] = (await call('GET', '/projects')).items;
  const { items } = await call('GET', `/projects/${project?.id}/environments`);
  return String(items.find((one) => one.slug === slug)?.id);
}
const builds = async () => (await call('GET', '/builds')).items;
const draft = async (slug: string) => (await call('GET', `/environments/${await environment(slug)}/change-set`)).items;

/** Ends the one that waits for its turn, since nobody builds here. */
async function cancelNext(done: number): Promise<string> {
  const build = await until('the build', async () => (await builds()).length > done && (await builds())[0]);
  await call('POST', `/builds/${build.id}/cancel`);
  return String(build.id);
}

test('a folder and its settings are one change set with one message, and its build is told as it stands', async () => {
  const words = ['deploy', folder, '--yes', '--set', 'A=1', '-m', 'Both at once', '--json'];
  const [told, id] = await Promise.all([ballast(words), cancelNext(0)]);
  expect(told.code).toBe(1);
  const events = eventsOf(told);
  expect(events[0]).toMatchObject({ event: 'build', buildId: id, number: 1, service: 'shop' });
  expect(events.at(-1)).toMatchObject({ event: 'build', buildId: id, status: 'cancelled' });
  const sets = await call('GET', `/environments/${await environment('staging')}/change-sets`);
  expect(sets.items).toMatchObject([{ message: 'Both at once' }]);
  expect(await builds()).toMatchObject([{ id, trigger: 'upload' }]);
  expect((await ballast(['var', 'list'], { cwd: folder })).out).toMatch(/^shop +A +1 +run time/m);
  expect(await draft('staging')).toEqual([]);
});

test('in production the settings wait for their approval, and --wait builds the folder with them', async () => {
  const words = ['deploy', folder, '--environment', 'production', '--set', 'B=1', '-m', 'With B', '--json'];
  const held = await ballast(words);
  expect([held.code, eventsOf(held)]).toMatchObject([5, [{ event: 'approval', decision: '' }]]);
  expect(held.err).toContain('--wait waits for that');
  const approvalId = String(eventsOf(held)[0]?.approvalId);
  await call('POST', `/approvals/${approvalId}/decide`, { decision: 'rejected', reason: 'Not yet' });
  expect((await ballast(['discard', '--environment', 'production'], { cwd: folder })).code).toBe(0);

  const waiting = ballast([...words, '--wait']);
  const [open] = await until('it waits', async () => {
    const { items } = await call('GET', '/approvals');
    const pending = items.filter((one) => one.decision === undefined);
    return pending.length > 0 && pending;
  });
  await call('POST', `/approvals/${open?.id}/decide`, { decision: 'approved' });
  const [told, id] = await Promise.all([waiting, cancelNext(1)]);
  expect([told.code, eventsOf(told)]).toEqual([
    1,
    expect.arrayContaining([
      expect.objectContaining({ event: 'approval', decision: 'approved' }),
      expect.objectContaining({ event: 'build', buildId: id, status: 'cancelled' }),
    ]),
  ]);
  expect(await call('GET', `/builds/${id}`)).toMatchObject({ message: 'With B' });
  expect(await draft('production')).toEqual([]);
});

test('limits of its builds, and the folder that is built, stay as they are when it is deployed again', async () => {
  writeFileSync(join(folder, 'index.html'), '<h1>Shop, again</h1>');
  expect((await ballast(['service', 'set', 'buildMemoryBytes=1073741824'], { cwd: folder })).code).toBe(0);
  const [told] = await Promise.all([ballast(['deploy', folder]), cancelNext(2)]);
  expect(told.code).toBe(1);
  const [project] = (await call('GET', '/projects')).items;
  const [service] = (await call('GET', `/projects/${project?.id}/services`)).items;
  const { source } = await call('GET', `/services/${service?.id}?environmentId=${await environment('staging')}`);
  expect(source).toMatchObject({ kind: 'upload', buildLimits: { memoryBytes: 1_073_741_824 } });
});

/** A service whose first release, of a folder, is live, where folders are built. */
async function liveService({ production }: { production: boolean }): Promise<SeededPlace & { words: string[] }> {
  const { database } = joined.api;
  const { organizationId } = joined.ours;
  const place = await seedPlace(database, organizationId, { production });
  const own = tenant(database.kysely, organizationId);
  const cluster = { cluster_id: joined.clusterId };
  await own.updateTable('environment').set(cluster).where('id', '=', place.environmentId).execute();
  const { id: releaseId } = await seedRelease(database, place, 1);
  const { environmentId, serviceId, projectId } = place;
  const source = sql`${JSON.stringify({ ...noSource, kind: 'upload' })}::jsonb`;
  const settings = sql<never>`jsonb_set(settings, '{source}', ${source})`;
  await own.updateTable('environment_service').set({ settings }).where('service_id', '=', serviceId).execute();
  const content = sql<never>`jsonb_set(content, '{settings,source}', ${source})`;
  await own.updateTable('release').set({ content }).where('id', '=', releaseId).execute();
  const one = { id: crypto.randomUUID(), environmentId, serviceId, releaseId, kind: 'deploy' as const, queue: true };
  for (const request of [
    { event: 'create' as const, deployments: [one] },
    { event: 'claim' as const, id: one.id },
    { event: 'finish' as const, id: one.id, state: 'live' as const },
  ])
    await effect(database, machine, (by) => admit(by, { organizationId, projectId }, request));
  const { slug: project } = await call('GET', `/projects/${projectId}`);
  const { slug: service } = await call('GET', `/services/${serviceId}`);
  const words = ['--project', `${project}`, '--service', `${service}`, '--environment', 'staging'];
  return { ...place, words };
}

test.each([
  { where: 'staging', production: false },
  { where: 'production, of a service that is excepted from approvals', production: true },
])('variables that were imported before go with the folder in one change set, and roll once: $where', async (of) => {
  const { environmentId, serviceId, words } = await liveService(of);
  if (of.production) await call('PATCH', `/services/${serviceId}`, { skipProductionApproval: true });
  const deployments = async () => (await call('GET', `/environments/${environmentId}/deployments`)).items;
  expect(await deployments()).toMatchObject([{ state: 'live', kind: 'deploy' }]);
  const imported = await ballast(['var', 'import', '-', ...words], { input: 'LIMIT=5\n' });
  expect(imported).toMatchObject({ code: 0 });
  const done = (await builds()).length;
  const [told, id] = await Promise.all([
    ballast(['deploy', folder, ...words, '-m', 'With a limit', '--json']),
    cancelNext(done),
  ]);
  expect(told.code).toBe(1);
  const sets = await call('GET', `/environments/${environmentId}/change-sets`);
  expect(sets.items).toMatchObject([{ message: 'With a limit' }]);
  expect(await call('GET', `/builds/${id}`)).toMatchObject({ serviceId, message: 'With a limit' });
  const { items } = await call('GET', `/change-sets/${sets.items[0]?.id}`);
  expect(items).toMatchObject(expect.arrayContaining([expect.objectContaining({ key: 'LIMIT' })]));
  // The image of before does not roll with settings that are meant for the next one.
  expect(await deployments()).toHaveLength(1);
});

/** A program that is started, with what its source says of how. */
function program(name: string, files: Record<string, string>): string {
  const place = join(joined.directory, name);
  mkdirSync(place);
  const manifest = { 'package.json': JSON.stringify({ scripts: { start: 'node .' } }) };
  for (const [path, text] of Object.entries({ ...manifest, ...files })) writeFileSync(join(place, path), text);
  return place;
}

/** As the actor of the build ends it, once its agent has told this. */
async function succeedNext(done: number, detection: object): Promise<void> {
  const build = await until('the build', async () => (await builds()).length > done && (await builds())[0]);
  const set = { state: 'succeeded', builder: JSON.stringify({ engine: '', detection }), finished_at: new Date() };
  await joined.api.database.kysely
    .updateTable('build')
    .set(set as never)
    .where('id', '=', String(build.id))
    .execute();
}

/** The output of the command, whose build comes to this end. */
async function deployed(words: string[], end: (done: number) => Promise<unknown> = cancelNext) {
  const [told] = await Promise.all([ballast(['deploy', ...words]), end((await builds()).length)]);
  return told;
}

test('variables that the template asks for and nothing sets are named before the folder is uploaded', async () => {
  const text = 'DATABASE_URL=\nSECRET_KEY=your-secret\nVITE_API=\nLEVEL=precious\nGIVEN=\n';
  const asking = program('asking', { '.env.example': text });
  const place = '--service asking --project asking --environment staging';
  const told = await deployed([asking, '--yes', '--set', 'GIVEN=swordfish']);
  expect(told.err.split('✓ the folder is read')[0]).toBe(
    `! asking asks for DATABASE_URL and SECRET_KEY (.env.example): set them with --set DATABASE_URL=… --set SECRET_KEY=…; it may start without.
  A secret one is set by \`./ballast var set SECRET_KEY --secret ${place}\`.
! asking asks for VITE_API (.env.example) for its pages: set it by \`./ballast var set VITE_API=… --build-time also ${place}\`, and deploy again.
`,
  );
  expect(told.err).not.toMatch(/precious|swordfish|your-secret/);
  const input = 'SECRET_KEY=a\nVITE_API=b\n';
  expect((await ballast(['var', 'import', '-', ...place.split(' ')], { input })).code).toBe(0);
  const again = await deployed([asking, '--set', 'DATABASE_URL=c', '--json']);
  expect(again.err).not.toContain('asks for');
  expect((await ballast(['var', 'unset', 'SECRET_KEY', ...place.split(' ')])).code).toBe(0);
  const unset = await deployed([asking, '--json']);
  expect(unset.err).toMatch(/^! asking asks for SECRET_KEY \(\.env\.example\): set it with --set SECRET_KEY=…; /m);
});

test('of many variables those that stand first are named, and a file is the way', async () => {
  const text = Array.from({ length: 9 }, (_, at) => `KEY_${at}=\n`).join('');
  const told = await deployed([program('many', { '.env.sample': text }), '--yes']);
  expect(told.err).toContain(
    '! many asks for KEY_0, KEY_1, KEY_2, KEY_3, KEY_4 and 4 more (.env.sample): set them with --set KEY=VALUE, or all of a file by `./ballast var import FILE`; it may start without.\n',
  );
});

test('what else the source says to run is proposed with the commands that stage it, and not again once they have', async () => {
  const working = program('working', {});
  const proposed = [
    { name: 'release', line: "python m.py --at 'a b'", command: ['/bin/sh', '-c', "exec python m.py --at 'a b'"] },
    { name: 'worker', line: 'celery -A app worker', command: ['.venv/bin/python', '-m', 'celery', 'work'] },
    { name: 'broken', line: 'npm run none', command: [] },
  ];
  const succeed = (done: number) => succeedNext(done, { proposed });
  const told = await deployed([working, '--yes'], succeed);
  expect(told.code, told.err).toBe(0);
  const place = '--service working --project working --environment staging';
  expect(
    told.err,
  ).toContain(`! working has a release command (python m.py --at 'a b'), which nothing runs; this stages it:
    ./ballast service set releaseCommand='["/bin/sh","-c","exec python m.py --at '\\''a b'\\''"]' ${place}
! working has the process worker (celery -A app worker), which nothing runs; this stages it:
    ./ballast process create worker kind=worker command='.venv/bin/python -m celery work' ${place}
`);
  expect(told.err).not.toContain('broken');
  const lines = [...told.err.matchAll(/^ {4}\.\/ballast (.+)$/gm)].map(([, line]) => line);
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(await ballast(words)).toMatchObject({ code: 0 });
  }
  const shown = await ballast(['service', 'show', ...place.split(' ')]);
  expect(shown.out).toMatch(/^release command +\/bin\/sh -c exec python m\.py --at 'a b'$/m);
  expect(shown.out).toMatch(/^worker +worker +1 +\.venv\/bin\/python -m celery work$/m);
  const again = await deployed([working], succeed);
  expect([again.code, again.err]).toEqual([0, expect.not.stringContaining('which nothing runs')]);
});
