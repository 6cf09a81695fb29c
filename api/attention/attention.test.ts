import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { tenant } from '../../db/postgres/tenant.ts';
import { runningApi, seed } from '../../test/installation/running-api.ts';
import { sampleWorkload as app, madeClusters } from '../../test/seeds/made-cluster.ts';
import { seedInstance, seedReleases } from '../../test/seeds/seed-cluster.ts';
import { seedDeployment, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';

const api = await runningApi({ env: { INGRESS_DOMAIN: 'apps.example.com' } });
const ours = await seed(api.database);
const releases = await seedReleases(api.database);
afterAll(() => api.close());

const { make, living } = madeClusters(() => ({ api, as: ours.tokens.admin, image: releases.older }));
type Item = Record<'key' | 'kind' | 'detail', string> & { name?: string; cluster?: { name: string }; asOf?: object };

async function attention(as = ours.tokens.viewer, query = ''): Promise<{ items: Item[]; nextCursor?: string }> {
  const answer = await api.call('GET', `/api/v1/attention${query}`, { as });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as { items: Item[] };
}
const told = ({ kind, cluster, name, detail }: Item) => [kind, cluster?.name, name, detail];

async function runs(cluster: string, name: string, state: string, error: string | null): Promise<string> {
  const put = await api.call('PUT', `/api/v1/clusters/${cluster}/workloads/${name}`, {
    as: ours.tokens.admin,
    body: app(),
  });
  expect(put.status, put.text).toBe(200);
  const instance = await seedInstance(api.database, { id: cluster, organizationId: ours.organizationId }, name);
  await sql`
    update observed_slice set error = ${error}, revision = 1000,
      instances = jsonb_set(jsonb_set(instances, '{0,state}', to_jsonb(${state}::text)), '{0,message}', '"It ended."')
    where cluster_id = ${cluster} and key = ${`workload/${name}`}`.execute(api.database.kysely);
  return instance;
}

test('each broken thing is one item with the way to its log, the urgent first', async () => {
  expect(await attention()).toMatchObject({ items: [] });
  const lost = await living('Oslo');
  const well = await living('Bern');
  await make('New');
  const crashing = await runs(lost, 'billing', 'waiting', 'billing/web is in a crash loop');
  await runs(lost, 'shop', 'ready', null);
  await runs(well, 'mailer', 'failing', null);
  await runs(well, 'calm', 'ready', null);
  const { kysely } = api.database;
  await kysely.updateTable('cluster').set({ state: 'lost', message: 'Silent.' }).where('id', '=', lost).execute();
  await kysely.updateTable('cluster').set({ state: 'ready' }).where('id', '=', well).execute();
  await kysely.updateTable('cluster_agent').set({ contact: 'lost' }).where('cluster_id', '=', lost).execute();
  const trouble = { error: 'The ingress has no port.' };
  await kysely.updateTable('cluster_agent').set(trouble).where('cluster_id', '=', well).execute();
  const update = await api.call('POST', `/api/v1/clusters/${well}/agent/update`, { as: ours.tokens.admin, body: {} });
  const failed = { state: 'failed', message: 'No disk.', finished_at: new Date() } as const;
  await kysely.updateTable('agent_update').set(failed).where('id', '=', String(update.body.id)).execute();

  const { items } = await attention();
  expect(items.map(told)).toEqual([
    ['cluster.lost', 'Oslo', undefined, 'Silent.'],
    ['workload.failed', 'Oslo', 'billing', 'billing/web is in a crash loop'],
    ['agent-update.failed', 'Bern', releases.newer, 'No disk.'],
    ['cluster.degraded', 'Bern', undefined, 'The ingress has no port.'],
    ['workload.degraded', 'Bern', 'mailer', 'It ended.'],
    ['cluster.awaiting-agent', 'New', undefined, ''],
  ]);
  expect(items[1]).toMatchObject({ instance: crashing, asOf: { inContact: false } });
  expect(items[2]).toMatchObject({
    workflow: { id: update.body.id, kind: 'agent-update', title: 'Agent update: Bern' },
  });
  expect(items[3]).toMatchObject({ asOf: { inContact: true } });

  const seen: string[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await attention(ours.tokens.viewer, `?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    seen.push(...page.items.map(({ key }) => key));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(items.map(({ key }) => key));

  // A stuck workflow is told to those who may read its kind: a deletion, to admins alone.
  const blocker = 'Nobody hears it.';
  await kysely.updateTable('cluster').set({ blocker }).where('id', '=', well).execute();
  await kysely
    .insertInto('deletion')
    .values({
      ...{
        id: uuid(),
        organization_id: ours.organizationId,
        kind: 'organization',
        name: 'Ours',
        slug: 'ours',
        blocker,
      },
      ...{ requested_by_kind: 'user', requested_by_id: 'u', requested_by_name: 'Ada', restore_until: new Date() },
    })
    .execute();
  const stuck = async (as: typeof ours.tokens.viewer) =>
    (await attention(as)).items.filter(({ kind }) => kind === 'workflow.stuck').map(({ name }) => name);
  expect(await stuck(ours.tokens.viewer)).toEqual(['Bern']);
  expect((await stuck(ours.tokens.admin)).toSorted()).toEqual(['Bern', 'Ours']);

  // Suggestions are for those who may act on them; others see nothing of any of it.
  expect((await attention(ours.tokens.admin)).items.map(({ kind }) => kind)).toContain('agent.outdated');
  expect((await attention((await seed(api.database)).tokens.admin)).items).toEqual([]);
});

test('a failed deployment is told until something goes live there, whatever was cancelled since', async () => {
  const theirs = await seed(api.database);
  const place = await seedPlace(api.database, theirs.organizationId);
  const [one, two] = [await seedRelease(api.database, place, 1), await seedRelease(api.database, place, 2)];
  const ends = (releaseId: string, state: 'live' | 'failed' | 'cancelled') =>
    seedDeployment(api.database, place, releaseId, { state, message: 'web exited with 1.' });
  const failures = async () =>
    (await attention(theirs.tokens.viewer)).items.filter(({ kind }) => kind === 'deployment.failed');
  await ends(one.id, 'live');
  expect(await failures()).toEqual([]);
  const id = await ends(two.id, 'failed');
  await ends(two.id, 'cancelled');
  expect(await failures()).toMatchObject([
    {
      key: `deployment.failed ${id}`,
      detail: 'web exited with 1.',
      deployment: { id, releaseNumber: 2, environmentName: 'Staging' },
    },
  ]);
  await ends(one.id, 'live');
  expect(await failures()).toEqual([]);
});

test('what visitors get instead of what is live is told as long as that serves', async () => {
  const theirs = await seed(api.database);
  const place = await seedPlace(api.database, theirs.organizationId);
  const release = await seedRelease(api.database, place, 3);
  const warning = { kind: 'https', status: 301, path: '/', host: 'a.example.com' };
  const id = await seedDeployment(api.database, place, release.id, {
    warnings: JSON.stringify([warning, { kind: 'of the future' }]) as never,
  });
  const own = tenant(api.database.kysely, theirs.organizationId);
  const serves = (set: object) =>
    own.updateTable('environment_service').set(set).where('service_id', '=', place.serviceId).execute();
  const warned = async () =>
    (await attention(theirs.tokens.viewer)).items.filter(({ kind }) => kind === 'deployment.warned');
  await serves({ live_deployment_id: id, live_release_id: release.id });
  expect(await warned()).toMatchObject([
    {
      ...{
        key: `deployment.warned ${id}`,
        detail: expect.stringMatching(/^Requests for a.example.com are redirected/),
      },
      deployment: { id, releaseNumber: 3, environmentName: 'Staging' },
    },
  ]);
  await serves({ suspended: true });
  expect(await warned()).toEqual([]);
  const next = await seedDeployment(api.database, place, release.id, {});
  await serves({ suspended: false, live_deployment_id: next });
  expect(await warned()).toEqual([]);
});

test('a channel of notifications that fails is told to admins, as long as it is enabled', async () => {
  const theirs = await seed(api.database);
  const id = uuid();
  const row = { id, label: 'Operations', enabled: true, last_error: 'hooks.example.com answered 503.' };
  await tenantRow(api.database, 'notification_channel', theirs.organizationId, row);
  expect((await attention(theirs.tokens.admin)).items).toMatchObject([
    {
      kind: 'notification-channel.failing',
      name: 'Operations',
      channel: { id },
      detail: 'hooks.example.com answered 503.',
    },
  ]);
  expect((await attention(theirs.tokens.deployer)).items).toEqual([]);
  await api.call('PATCH', `/api/v1/notification-channels/${id}`, { as: theirs.tokens.admin, body: { enabled: false } });
  expect((await attention(theirs.tokens.admin)).items).toEqual([]);
});
