import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { storeHistoryPage } from '../../db/engine/archive/history-archive.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { recordedHistory } from '../../test/actors/recorded-history.ts';
import { CommandHost, type Ended } from '../../test/commands/command-host.ts';
import { bareEnvironment } from '../../test/ground/bare-environment.ts';
import { runningApi, seed } from '../../test/installation/running-api.ts';
import { seedDeployment, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const host = new CommandHost();

const directory = await mkdtemp(join(tmpdir(), 'ballast-replay-'));
const api = await runningApi();
const ours = await seed(api.database);
afterAll(async () => {
  await host.close();
  await api.close();
  await rm(directory, { recursive: true });
});

/** `online` false: without an address of a control plane and a token. */
function ballast(words: string[], { online = true, input = '' } = {}): Promise<Ended> {
  const token = 'token' in ours.tokens.admin ? ours.tokens.admin.token : '';
  const home = { BALLAST_HOME: join(directory, 'home') };
  const env = { ...bareEnvironment, ...home, ...(online ? { BALLAST_URL: api.url, BALLAST_TOKEN: token } : {}) };
  return host.run({ words, env, cwd: directory, input });
}

/** A deployment that is over, whose history is in the archive. */
async function archivedDeployment(history: string, state: 'live' | 'failed' = 'live'): Promise<string> {
  const { organizationId } = ours;
  const place = await seedPlace(api.database, organizationId);
  const release = await seedRelease(api.database, place, 1);
  const id = await seedDeployment(api.database, place, release.id, { state, archived_at: new Date() });
  const page = { actorId: actorId('deployment', id), runId: uuid(), page: 0, organizationId };
  await storeHistoryPage(api.database.kysely, api.keyring, { ...page, bytes: await recordedHistory(history) });
  return id;
}

test('an export replays without the control plane; changed histories diverge at their event, sealed ones are said to be', async () => {
  const id = await archivedDeployment('deployment-live');
  const file = join(directory, 'live.json');
  expect(await ballast(['workflow', 'export', id, '--output', file])).toEqual({ code: 0, out: `${file}\n`, err: '' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await ballast(['workflow', 'export', id, '--output', file]);
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('--force') });
  expect((await ballast(['workflow', 'export', id, '--output', file, '--force'])).code).toBe(0);

  const offline = { online: false };
  expect(await ballast(['replay', file], offline)).toEqual({ code: 0, out: 'replays: 79 events\n', err: '' });

  const text = readFileSync(file, 'utf8');
  const changed = text.replace('"name": "finishDeployment"', '"name": "finishOtherwise"');
  expect(changed).not.toBe(text);
  const diverged = await ballast(['replay', '-', '--events'], { ...offline, input: changed });
  expect(diverged).toMatchObject({ code: 3, err: '' });
  expect(diverged.out).toMatch(/diverges: run 1, event 72 of 79 \(ActivityTaskScheduled, 20.*Z\)\n/);
  expect(diverged.out).toContain('the activity finishOtherwise was requested');
  expect(diverged.out).toContain('it requested the activity finishDeployment');
  expect(diverged.out).toMatch(/^ {2}1 +20\S+ /);

  const two = join(directory, 'two.json');
  writeFileSync(two, JSON.stringify({ runs: [JSON.parse(text), JSON.parse(changed)] }));
  const json = JSON.parse((await ballast(['replay', two, '--json'], offline)).out);
  expect(json).toMatchObject({
    verdict: 'diverges',
    runs: [
      { run: 1, verdict: 'replays' },
      { run: 2, verdict: 'diverges', divergence: { event: 72, type: 'ActivityTaskScheduled' } },
    ],
  });
  expect(await ballast(['replay', main], offline)).toMatchObject({
    code: 2,
    err: expect.stringContaining('no exported'),
  });
});

test('all that failed are replayed and summed up; what cannot be read is no success', async () => {
  const replays = await archivedDeployment('deployment-returned', 'failed');
  const first = await ballast(['replay', '--failed', '--since', '1h', '--kind', 'deployment']);
  expect(first).toMatchObject({
    code: 0,
    out: expect.stringMatching(/1 replay, 0 diverge, 0 cannot be replayed\.\n$/),
  });
  const broken = await archivedDeployment('deployment-returned', 'failed');
  await api.database.kysely
    .updateTable('history_archive')
    .set({ page: 1 })
    .where('actor_id', '=', actorId('deployment', broken))
    .execute();
  const both = await ballast(['replay', '--failed', '--json']);
  expect(both.code).toBe(4);
  expect(JSON.parse(both.out)).toMatchObject({
    workflows: [
      { actorId: `deployment/${broken}`, verdict: 'unreadable' },
      { actorId: `deployment/${replays}`, verdict: 'replays' },
    ],
  });
});

test('why: five lines of a deployment by its id, of a service and of an environment; stuck ones with what to do', async () => {
  const id = await archivedDeployment('deployment-live', 'failed');
  const { body } = await api.call('GET', `/api/v1/deployments/${id}`, { as: ours.tokens.viewer });
  const { projectId, environmentId, serviceId } = body as Record<string, string>;
  const { out } = await ballast(['why', id]);
  expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual(['what', 'since', 'tried', 'who', 'how', '']);
  expect(out).toContain(`./ballast replay ${id}`);
  const there = ['--project', projectId ?? '', '--environment', environmentId ?? ''];
  for (const words of [[serviceId ?? ''], []])
    expect(await ballast(['why', ...words, ...there])).toMatchObject({ out });
  const own = tenant(api.database.kysely, ours.organizationId);
  await own.updateTable('deployment').set({ state: 'live' }).where('id', '=', id).execute();
  expect((await ballast(['why', ...there])).out).toBe('Nothing waits, and nothing failed.\n');

  const blocker = 'Messages cannot be delivered: refused';
  const open = { state: 'pending' as const, finished_at: null, archived_at: null, blocker };
  await own.updateTable('deployment').set(open).where('id', '=', id).execute();
  const stuck = await ballast(['workflow', 'list', '--stuck']);
  expect(stuck.out).toMatch(new RegExp(`^${id} .*${blocker} +see .*doctor`, 'm'));
  const attention = await api.call('GET', '/api/v1/attention', { as: ours.tokens.viewer });
  expect(attention.text).toContain(blocker);
});
