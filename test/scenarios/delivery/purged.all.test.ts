import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStatus } from '../../../agent/home/status.ts';
import { DiskStore } from '../../../api/registry/storage/disk-store.ts';
import { sweep } from '../../../api/registry/sweep-regularly.ts';
import { through } from '../../agents/kept-machine.ts';
import { filesWith, rowsWith, workflowsWith } from '../../applications/left-behind.ts';
import { freePort } from '../../ground/free-port.ts';
import { sampleLayout } from '../../images/sample-image.ts';
import { runBallast } from '../../installation/ballast-command.ts';
import { Installation } from '../../installation/installation.ts';
import { patient } from '../../run/patience.ts';

let installation: Installation;
let ingress: string;
const directory = mkdtempSync(join(tmpdir(), 'ballast-purged-'));

beforeAll(async () => {
  const port = await freePort();
  ingress = `http://127.0.0.1:${port}`;
  const env = { LOCAL_CLUSTER: 'true', LOCAL_DRIVER: 'process', INGRESS_PORT: String(port) };
  installation = await Installation.start('purged', env);
  const connected = async () => readStatus(`${installation.home}/agent`)?.connected;
  await installation.until('its agent is in contact', connected);
}, patient(300_000));
afterAll(async () => {
  await installation?.remove();
  rmSync(directory, { recursive: true });
});

interface Application {
  host: string;
  marker: string;
  /** Everything that has an id of its own in the project. */
  ids: string[];
  paths: string[];
  blobs: string[];
}

/** A project with a service that has an address, a volume with a file in it, a variable, a log, and two releases. */
async function application(project: string): Promise<Application> {
  const as = await installation.token('admin');
  const { token } = as;
  const settings = { ...installation.env, BALLAST_URL: installation.url, BALLAST_TOKEN: token };
  const place = ['--project', project, '--environment', 'staging', '--service', 'store'];
  const ballast = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runBallast(words, settings, undefined, directory);
    expect([words.slice(0, 2), code, stderr]).toEqual([words.slice(0, 2), 0, expect.any(String)]);
    return stdout;
  };
  const marker = `${project}-${randomBytes(9).toString('hex')}`;
  await ballast('project', 'create', project);
  await ballast('service', 'create', 'store', ...place.slice(0, 4));
  await ballast('service', 'set', 'stabilizationSeconds=0', 'drainSeconds=1', ...place);
  await ballast('volume', 'add', 'data=/data', '--size', '1M', ...place);
  await ballast('var', 'set', `MARKER=${marker}`, ...place);
  const layouts: string[] = [];
  let host = '';
  for (const version of ['1', '2']) {
    const options = { version: `${project} ${version}`, hostBound: true, extraBytes: 1_000 };
    const { layout } = await sampleLayout(join(directory, `${project}-${version}`), options);
    layouts.push(layout);
    const { addresses } = JSON.parse(await ballast('deploy', layout, ...place, '--yes', '--accept-downtime', '--json'));
    host = new URL(addresses[0]).host.replace(/:\d+$/, '');
  }
  const ask = async (path: string) => (await through(ingress, host, path)).body;
  const { VOLUME_DATA: data } = JSON.parse(await ask('/environment')) as Record<string, string>;
  await ask(`/write?${new URLSearchParams({ path: `${data}/kept`, text: marker })}`);
  await ask(`/log?${new URLSearchParams({ text: `said ${marker}` })}`);
  const { kysely } = await installation.database();
  const { rows } = await sql<{ what: string; id: string }>`
    with project as (select id from project where name = ${project}),
      env as (select id from environment where project_id in (select id from project)),
      store as (select id from service where project_id in (select id from project))
    select 'projects' as what, id from project
    union all select 'environments', id from env
    union all select 'services', id from store
    union all select 'processes', id from service_process where service_id in (select id from store)
    union all select 'volumes', id from volume where service_id in (select id from store)
    union all select 'deployments', id from deployment where service_id in (select id from store)
    union all select 'release', id from release where service_id in (select id from store)
    union all select 'change-sets', id from change_set where environment_id in (select id from env)
  `.execute(kysely);
  const paths = rows.flatMap(({ what, id }) => (what === 'release' ? [] : [`/api/v1/${what}/${id}`]));
  for (const path of paths) expect([path, (await installation.call('GET', path, { as })).status]).toEqual([path, 200]);
  const linked = await sql<{ digest: string }>`
    select digest from registry_link where service_id = any(${rows.map(({ id }) => id)}::uuid[])
  `.execute(kysely);
  return { host, marker, ids: rows.map(({ id }) => id), paths, blobs: linked.rows.map(({ digest }) => digest) };
}

/** Kept for a day: the answers to requests that may be repeated. */
const swept = new Set(['idempotent_answer']);
/** The account of what happened, and what is swept: hints, and events of clusters. */
const accounts = new Set(['audit_record', 'deletion', 'change_feed', 'cluster_event', ...swept]);

const agentHome = () => join(installation.home, 'agent');

test('of a purged project nothing is left on the machine, in Temporal, in the registry and in the database; another one serves on', async () => {
  const [gone, stays] = [await application('gone'), await application('stays')];
  const { id: organizationId } = await (await installation.database()).kysely
    .selectFrom('organization')
    .select('id')
    .where('slug', '=', 'default')
    .executeTakeFirstOrThrow();
  const as = await installation.session(organizationId, 'owner');
  const [projectId = ''] = gone.ids;
  const needles = [gone.marker, ...gone.ids];
  expect(filesWith(agentHome(), needles).length).toBeGreaterThan(5);
  expect(Object.keys(await rowsWith(installation, gone.ids)).length).toBeGreaterThan(10);

  const call = async (method: string, path: string, body?: object) => {
    const answer = await installation.call(method, path, { as, ...(body === undefined ? {} : { body }) });
    expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy((status) => status < 300), answer.text]);
    return answer.body;
  };
  await call('DELETE', `/api/v1/projects/${projectId}`);
  const { items } = (await call('GET', '/api/v1/deleted')) as { items: { id: string; deletionId: string }[] };
  const { deletionId = '' } = items.find(({ id }) => id === projectId) ?? {};
  await call('POST', `/api/v1/deleted/project/${projectId}/purge`, { confirm: 'gone' });
  const workflow = async () => await call('GET', `/api/v1/workflows/${deletionId}`);
  await installation.until('the purge', async () => (await workflow()).state === 'purged');
  expect(await workflow()).toMatchObject({ message: '' });

  for (const path of gone.paths) {
    expect([path, (await installation.call('GET', path, { as })).status]).toEqual([path, 404]);
  }
  expect((await through(ingress, gone.host)).status).toBe(404);
  let left: string[] = [];
  await installation
    .until('nothing of it is on the machine', async () => {
      left = filesWith(agentHome(), needles);
      return left.length === 0;
    })
    .catch((error: Error) => {
      throw new Error(`Left on the machine: ${left.join(', ')}`, { cause: error });
    });
  expect(await workflowsWith(installation, gone.ids)).toEqual([]);
  const rows = await rowsWith(installation, gone.ids);
  expect(Object.keys(rows).filter((table) => !accounts.has(table.replace(/_\d+$/, '')))).toEqual([]);
  const values = await rowsWith(installation, [gone.marker]);
  expect(Object.keys(values).filter((table) => !swept.has(table))).toEqual([]);

  const { kysely } = await installation.database();
  const ofBoth = new Set(stays.blobs);
  const only = gone.blobs.filter((digest) => !ofBoth.has(digest));
  expect([only.length > 2, only.length < gone.blobs.length]).toEqual([true, true]);
  const registry = new DiskStore(installation.settings.REGISTRY_DIRECTORY);
  const kept = async (digest: string) => await registry.blobSize(digest);
  // As if a day had passed since somebody had to do with them.
  for (const table of ['registry_blob', 'registry_link', 'registry_manifest'] as const)
    await kysely.updateTable(table).set({ touched_at: sql`now() - interval '2 days'` }).execute();
  await sweep(kysely, registry);
  for (const digest of only) expect([digest, await kept(digest)]).toEqual([digest, undefined]);
  for (const digest of stays.blobs) expect([digest, await kept(digest)]).toEqual([digest, expect.any(Number)]);

  expect((await through(ingress, stays.host)).status).toBe(200);
  expect(filesWith(agentHome(), [stays.marker]).length).toBeGreaterThan(1);
  for (const path of stays.paths) await call('GET', path);
});
