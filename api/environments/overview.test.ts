import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { findEnvironment } from '../../db/environments/environments.ts';
import { overviewBy } from '../../db/environments/overview.ts';
import type { DeploymentState } from '../../domain/deployments/states.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { type SeededPlace, seedDeployment, seedRelease } from '../../test/seeds/seed-place.ts';

const { api, ours } = await ownApi();

const json = (value: unknown) => sql<never>`${JSON.stringify(value)}::jsonb`;
const keyOf = ({ environmentId, serviceId }: SeededPlace) => `env/${environmentId}/${serviceId}`;

async function overview({ environmentId }: SeededPlace): Promise<Record<string, unknown>[]> {
  const seen = await ours.tokens.viewer.get(`/environments/${environmentId}/overview`);
  expect(seen.status, seen.text).toBe(200);
  return seen.body.services as Record<string, unknown>[];
}

/** Deployments of the release, the oldest first. */
async function deploy(place: SeededPlace, releaseId: string, states: readonly DeploymentState[], more: object = {}) {
  const ids: string[] = [];
  for (const state of states) {
    const over = ['pending', 'starting'].includes(state) ? { finished_at: null } : {};
    ids.push(await seedDeployment(api.database, place, releaseId, { state, ...over, ...more }));
  }
  return ids;
}

async function makeLive(place: SeededPlace, releaseId: string, instances: object[] | undefined): Promise<void> {
  const { clusterId, organizationId, serviceId } = place;
  await api.sql`update environment_service set live_release_id = ${releaseId}, live_at = now() where service_id = ${serviceId}`;
  const slice = { cluster_id: clusterId, key: keyOf(place), organization_id: organizationId };
  const processes = [
    { name: 'web', kind: 'http', replicas: 2, port: 8080 },
    { name: 'cache', kind: 'tcp', replicas: 0, port: 6379, internalPort: 10_400 },
    { name: 'mailer', kind: 'worker', replicas: 0 },
  ];
  const workload = { release: '1', processes };
  await api.rows.add('cluster_slice', { ...slice, name: 'api', revision: 1, workload: json(workload) });
  await api.rows.add('ingress_host', { ...slice, process: 'web', host: `${serviceId}.localhost` });
  if (instances === undefined) return;
  const observed = { instances: json(instances), volumes: json([]), traffic: json([]) };
  await api.rows.add('observed_slice', { ...slice, applied_revision: 1, ...observed });
}

const ready = { process: 'web', state: 'ready' };

describe('GET /environments/{id}/overview', () => {
  test('tells of what is live, what failed, what is under way and where it is reached', async () => {
    const place = await ours.place();
    const [one, two, three] = [1, 2, 3].map((number) => seedRelease(api.database, place, number));
    const releases = [await one, await two, await three].map((release) => release?.id ?? '');
    await makeLive(place, releases[0] ?? '', [ready]);
    const warning = { kind: 'https-loop', status: 301, path: '/', host: 'a.localhost' };
    const [live] = await deploy(place, releases[0] ?? '', ['live'], { warnings: json([warning]) });
    await api.sql`update environment_service set live_deployment_id = ${live} where service_id = ${place.serviceId}`;
    await api.sql`update observed_slice set error = 'web: exit code 3' where key = ${keyOf(place)}`;
    const failed = await deploy(place, releases[1] ?? '', ['failed'], { waits_for: 'health', message: 'It crashed.' });
    const stages = json([{ stage: 'prepare', startedAt: '2026-01-01T00:00:00.000Z' }]);
    const pending = await deploy(place, releases[2] ?? '', ['starting'], { stages });
    const [service] = await overview(place);
    expect(service).toMatchObject({
      serviceId: place.serviceId,
      health: 'degraded',
      activeReleaseId: releases[0],
      activeReleaseNumber: 1,
      activeReleaseDigest: `sha256:${'1'.repeat(64)}`,
      replicasDesired: 2,
      replicasReady: 1,
      suspended: false,
      domainCount: 0,
      addresses: [
        {
          process: 'web',
          url: `http://${place.serviceId}.localhost:8089`,
          internal: expect.stringMatching(/^s-.*:8080$/),
        },
        { process: 'cache', url: '', internal: '127.0.0.1:10400' },
      ],
      lastDeploymentId: pending[0],
      lastDeploymentKind: 'deploy',
      failedDeployment: { id: failed[0], blocker: 'health', message: 'It crashed.', releaseNumber: 2 },
      pendingDeployment: { id: pending[0], kind: 'deploy', releaseNumber: 3, state: 'starting' },
      stages: [{ stage: 'prepare', startedAt: '2026-01-01T00:00:00.000Z', detail: '' }],
      blocker: '',
      fault: 'web: exit code 3',
      warnings: [{ ...warning, message: expect.stringContaining('https') }],
    });
    expect(service?.activeDeployedAt).toBeDefined();
  });

  test('a failure is told until something goes live, whatever was cancelled since', async () => {
    const place = await ours.place();
    const { id } = await seedRelease(api.database, place, 1);
    await deploy(place, id, ['live', 'failed', 'cancelled', 'superseded'], { message: 'Why.' });
    expect((await overview(place))[0]).toMatchObject({ failedDeployment: { message: 'Why.' }, message: 'Why.' });
    await deploy(place, id, ['live']);
    const [after] = await overview(place);
    expect(after).not.toHaveProperty('failedDeployment');
    expect(after).toMatchObject({ fault: '', warnings: [] });
  });

  test.each<[string, object[] | undefined, string]>([
    ['all are ready', [ready, ready, { process: 'web', state: 'draining' }], 'healthy'],
    ['none is ready', [{ process: 'web', state: 'starting' }], 'down'],
    ['the agent has not told of it', undefined, 'unknown'],
  ])('health while %s', async (_, instances, health) => {
    const place = await ours.place();
    const { id } = await seedRelease(api.database, place, 1);
    expect((await overview(place))[0]).toMatchObject({ health: 'none', activeReleaseDigest: '', addresses: [] });
    await makeLive(place, id, instances);
    expect((await overview(place))[0]).toMatchObject({ health });
    const away = { contact: 'lost' as const };
    await api.rows.set('cluster_agent', { cluster_id: place.clusterId }, away);
    expect((await overview(place))[0]).toMatchObject({ health: 'unknown' });
  });

  test('a service that is only staged is there, with its draft', async () => {
    const as = ours.tokens.admin;
    const made = await as.post('/projects', { name: 'Staged' });
    const { project } = made.body as { project: { id: string } };
    const body = { name: 'Api' };
    const { environmentId } = (await as.post(`/projects/${project.id}/services`, body)).body;
    const services = await overview({ environmentId } as SeededPlace);
    expect(services).toMatchObject([
      { serviceName: 'Api', serviceSlug: 'api', health: 'none', stagedIn: { environmentId } },
    ]);
  });

  test('a service that is held for the first time is there, and a release names the commit of its image', async () => {
    const place = await ours.place();
    const { id } = await seedRelease(api.database, place, 1);
    await makeLive(place, id, [ready]);
    expect((await overview(place))[0]).toMatchObject({ activeReleaseCommit: '' });
    await api.rows.set('release', { id }, { git_commit_sha: 'c0ffee' });
    expect((await overview(place))[0]).toMatchObject({ activeReleaseCommit: 'c0ffee' });
    await api.rows.remove('environment_service', { service_id: place.serviceId });
    expect(await overview(place)).toEqual([]);
    await deploy(place, id, ['pending'], { waits_for: 'approval' });
    expect(await overview(place)).toMatchObject([{ health: 'none', blocker: 'approval', serviceId: place.serviceId }]);
  });

  test('past deployments are not read: as many rows for 400 as for 4', async () => {
    const first = await ours.place();
    const places = [first];
    for (let count = 0; count < 5; count += 1) {
      places.push(await ours.place({ beside: first }));
    }
    const environment = await findEnvironment(api.database.kysely, ours.organizationId, first.environmentId);
    if (environment === undefined) throw new Error('It was just made.');
    const past = async (times: number) => {
      for (const place of places) {
        const { id } = await seedRelease(api.database, place, times);
        const { organizationId, projectId, environmentId, serviceId } = place;
        await api.sql`
          insert into deployment (id, organization_id, project_id, environment_id, service_id, release_id, kind, state,
            requested_by_kind, requested_by_id, requested_by_name, finished_at)
          select gen_random_uuid(), ${organizationId}, ${projectId}, ${environmentId}, ${serviceId}, ${id}, 'deploy', 'live',
            'user', 'u', 'Ada', now() from generate_series(1, ${times}::int)`;
      }
      await api.sql`analyze deployment`;
    };
    const rowsRead = async () => {
      const rows = await api.sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
        explain (analyze, format json) ${overviewBy(environment)}`;
      return deploymentsIn(rows[0]?.['QUERY PLAN'][0].Plan);
    };
    await past(4);
    await past(400);
    const few = await rowsRead();
    await past(401);
    expect(await rowsRead()).toBe(few);
    expect(few).toBeLessThanOrEqual(places.length * 4);
  });
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** The rows of the table of deployments that a plan has read. */
function deploymentsIn(plan: Plan | undefined): number {
  if (plan === undefined) return 0;
  const inner = (plan.Plans ?? []).reduce((sum, one) => sum + deploymentsIn(one), 0);
  if (plan['Relation Name'] !== 'deployment') return inner;
  return inner + (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
}
