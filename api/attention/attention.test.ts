import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { sampleWorkload as app, madeClusters } from '../../test/seeds/made-cluster.ts';
import { seedInstance, seedReleases } from '../../test/seeds/seed-cluster.ts';
import { seedDeployment, seedRelease } from '../../test/seeds/seed-place.ts';
import { tenantRow } from '../../test/seeds/tenant-row.ts';

const { api, ours } = await ownApi({ env: { INGRESS_DOMAIN: 'apps.example.com' } });
const releases = await seedReleases(api.database);

const { make, living } = madeClusters(() => ({ api, as: ours.tokens.admin, image: releases.older }));
type Item = Record<'key' | 'kind' | 'detail', string> & { name?: string; cluster?: { name: string }; asOf?: object };

async function attention(as = ours.tokens.viewer, query = ''): Promise<{ items: Item[]; nextCursor?: string }> {
  return ok<{ items: Item[] }>(await as.get(`/attention${query}`));
}
const told = ({ kind, cluster, name, detail }: Item) => [kind, cluster?.name, name, detail];

async function runs(cluster: string, name: string, state: string, error: string | null): Promise<string> {
  ok(await ours.tokens.admin.put(`/clusters/${cluster}/workloads/${name}`, app()));
  const instance = await seedInstance(api.database, { id: cluster, organizationId: ours.organizationId }, name);
  await api.sql`
    update observed_slice set error = ${error}, revision = 1000,
      instances = jsonb_set(jsonb_set(instances, '{0,state}', to_jsonb(${state}::text)), '{0,message}', '"It ended."')
    where cluster_id = ${cluster} and key = ${`workload/${name}`}`;
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
  await api.rows.set('cluster', { id: lost }, { state: 'lost', message: 'Silent.' });
  await api.rows.set('cluster', { id: well }, { state: 'ready' });
  await api.rows.set('cluster_agent', { cluster_id: lost }, { contact: 'lost' });
  const trouble = { error: 'The ingress has no port.' };
  await api.rows.set('cluster_agent', { cluster_id: well }, trouble);
  const update = await ours.tokens.admin.post(`/clusters/${well}/agent/update`, {});
  const failed = { state: 'failed', message: 'No disk.', finished_at: new Date() } as const;
  await api.rows.set('agent_update', { id: String(update.body.id) }, failed);

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
  await api.rows.set('cluster', { id: well }, { blocker });
  await api.rows.add('deletion', {
    ...{
      id: uuid(),
      organization_id: ours.organizationId,
      kind: 'organization',
      name: 'Ours',
      slug: 'ours',
      blocker,
    },
    ...{ requested_by_kind: 'user', requested_by_id: 'u', requested_by_name: 'Ada', restore_until: new Date() },
  });
  const stuck = async (as: typeof ours.tokens.viewer) =>
    (await attention(as)).items.filter(({ kind }) => kind === 'workflow.stuck').map(({ name }) => name);
  expect(await stuck(ours.tokens.viewer)).toEqual(['Bern']);
  expect((await stuck(ours.tokens.admin)).toSorted()).toEqual(['Bern', 'Ours']);

  // Suggestions are for those who may act on them; others see nothing of any of it.
  expect((await attention(ours.tokens.admin)).items.map(({ kind }) => kind)).toContain('agent.outdated');
  expect((await attention((await api.organization()).tokens.admin)).items).toEqual([]);
});

test('a failed deployment is told until something goes live there, whatever was cancelled since', async () => {
  const theirs = await api.organization();
  const place = await theirs.place();
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
  const theirs = await api.organization();
  const place = await theirs.place();
  const release = await seedRelease(api.database, place, 3);
  const warning = { kind: 'https', status: 301, path: '/', host: 'a.example.com' };
  const id = await seedDeployment(api.database, place, release.id, {
    warnings: JSON.stringify([warning, { kind: 'of the future' }]) as never,
  });
  const serves = (set: object) => theirs.rows.set('environment_service', { service_id: place.serviceId }, set);
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
  const theirs = await api.organization();
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
  await theirs.tokens.admin.patch(`/notification-channels/${id}`, { enabled: false });
  expect((await attention(theirs.tokens.admin)).items).toEqual([]);
});
