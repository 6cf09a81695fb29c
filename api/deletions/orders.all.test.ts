import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { tablesMentioning } from '../../test/rows/mentioning.ts';
import { deletionsGround } from '../../test/seeds/made-deletions.ts';
import { seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

const { api, ours, actor } = deletionsGround();

// So much is deleted here that one person would be told to slow down.
beforeEach(async () => {
  ours.sessions.admin = await ours.session('admin');
});

const kinds = ['project', 'environment', 'service', 'database', 'volume'] as const;
type Kind = (typeof kinds)[number];

/** The 120 orders of these kinds. */
const orders = permutations(kinds).map((order) => order.join(', '));
const paths = {
  project: 'projects',
  environment: 'environments',
  service: 'services',
  database: 'services',
  volume: 'volumes',
};

const call = (method: string, path: string, body?: unknown) => api.as(ours.sessions.admin).call(method, path, body);

/** A project with a thing of each kind: the service has variables, a live release, and a volume that no environment mounts. */
async function seeded(): Promise<{ ids: Record<Kind, string>; processId: string; clusterId: string }> {
  const place = await seedPlace(api.database, ours.organizationId);
  const beside = await seedPlace(api.database, ours.organizationId, { beside: place });
  const { projectId, environmentId, serviceId, processId, clusterId } = place;
  await ours.rows.set('service', { id: beside.serviceId }, { template: 'postgres' });
  const definition = { name: 'data', mountPath: '/data', sizeBytes: 1_000, storageClass: '' };
  const made = await call('POST', `/processes/${processId}/volumes`, definition);
  const volume = String(made.body.id);
  await ours.rows.remove('change_set_item', { service_id: serviceId });
  const { id: live } = await seedRelease(api.database, place, 1);
  await seedRelease(api.database, place, 2, { process: { volumes: { [volume]: definition } } as never });
  await ours.rows.set('environment_service', { service_id: serviceId }, { live_release_id: live, live_at: new Date() });
  const by = { environment_id: environmentId, updated_by: 'Ada' };
  for (const service_id of [serviceId, beside.serviceId])
    await ours.rows.add('variable', { ...by, service_id, key: 'A', value: 'a' });
  await ours.rows.add('shared_variable', { ...by, key: 'R', value: 'r' });
  const slice = { key: `env/${environmentId}/${serviceId}`, name: 'x', revision: 1, workload: { processes: [] } };
  await ours.rows.add('cluster_slice', { ...slice, cluster_id: clusterId });
  // Kept for somebody who refers to its address, before it was ever deployed.
  const port = { key: `env/${environmentId}/${beside.serviceId}`, process: 'web', port: 10_001 };
  await ours.rows.add('internal_port', { ...port, cluster_id: clusterId });
  const ids = {
    project: projectId,
    environment: environmentId,
    service: serviceId,
    database: beside.serviceId,
    volume,
  };
  return { ids, processId, clusterId };
}

/** Deletes all of them: children first, since nobody finds what is in something that is deleted. */
async function deleteAll(ids: Record<Kind, string>, at: number): Promise<void> {
  const inside = permutations(['environment', 'database', 'volume', 'service'] as const).filter(
    (order) => order.indexOf('volume') < order.indexOf('service'),
  );
  for (const kind of [...(inside[at % inside.length] ?? []), 'project'] as const) {
    const gone = await call('DELETE', `/${paths[kind]}/${ids[kind]}`);
    expect(gone.status, `${kind}: ${gone.text}`).toBe(204);
  }
}

/** All that a project has, as it is to come back. What runs is suspended, and begins to be so when it is restored. */
async function contents(projectId: string): Promise<unknown[]> {
  const ofProject = {
    project: 'id',
    environment: 'project_id',
    service: 'project_id',
    release: 'project_id',
    environment_service: 'project_id',
  };
  const inside = ['service_process', 'volume', 'variable'].map(
    (table) => [table, sql`service_id in (select id from service where project_id = ${projectId})`] as const,
  );
  const shared = sql`environment_id in (select id from environment where project_id = ${projectId})`;
  const each = [
    ...Object.entries(ofProject).map(([table, column]) => [table, sql`${sql.ref(column)} = ${projectId}`] as const),
    ...inside,
    ...(['shared_variable', 'draft'] as const).map((table) => [table, shared] as const),
  ];
  const rows = await api.sql`${sql.join(
    each.map(
      ([table, where]) =>
        sql`(select ${table}::text as name, to_jsonb(whole) - '{suspended,suspended_at,suspended_by,revision}'::text[] as whole
          from ${sql.table(table)} as whole where ${where})`,
    ),
    sql` union all `,
  )} order by 1, 2`;
  return rows;
}

const parents: Readonly<Record<Kind, readonly Kind[]>> = {
  project: [],
  environment: ['project'],
  service: ['project'],
  database: ['project'],
  volume: ['project', 'service'],
};

test.each(orders)('restored as %s, each waits for what it was in, and comes back as it was', async (order) => {
  const { ids, processId } = await seeded();
  const before = await contents(ids.project);
  await deleteAll(ids, orders.indexOf(order));
  const deleted = new Set<Kind>(kinds);
  const back: Kind[] = [];
  while (deleted.size > 0) {
    for (const kind of order.split(', ') as Kind[]) {
      if (!deleted.has(kind)) continue;
      const waits = parents[kind].some((parent) => deleted.has(parent));
      const restored = await call('POST', `/deleted/${kind}/${ids[kind]}/restore`);
      expect(restored.status, `${kind}: ${restored.text}`).toBe(waits ? 409 : 200);
      if (waits) expect(restored.body).toMatchObject({ detail: expect.stringContaining('restore that first') });
      else {
        deleted.delete(kind);
        back.push(kind);
      }
      const listed = (await call('GET', '/deleted?limit=200')).body.items as { id: string; kind: Kind }[];
      const left = listed.filter(({ id }) => Object.values(ids).includes(id)).map((one) => one.kind);
      expect(left.toSorted()).toEqual([...deleted].toSorted());
    }
  }
  // The volume is staged where its process is by then.
  const items = await ours.rows.all('change_set_item');
  const ofThis = items.filter((one) => one.process_id === processId);
  const staged = back.indexOf('volume') > back.indexOf('environment');
  expect(ofThis.map(({ kind }) => kind)).toEqual(staged ? ['volume.create'] : []);
  expect(await contents(ids.project)).toEqual(before);
  const suspended = await ours.rows.all('environment_service', { environment_id: ids.environment });
  expect(new Map(suspended.map((row) => [row.service_id, row.suspended]))).toEqual(
    new Map([
      [ids.service, true],
      [ids.database, false],
    ]),
  );
});

test.each(orders)('purged as %s, each leaves no row that names it, and takes along what is in it', async (order) => {
  const { ids, clusterId } = await seeded();
  await deleteAll(ids, orders.indexOf(order));
  const purged = new Set<Kind>();
  for (const kind of order.split(', ') as Kind[]) {
    const listed = (await call('GET', '/deleted?limit=200')).body.items as {
      id: string;
      name: string;
      deletionId: string;
    }[];
    const item = listed.find(({ id }) => id === ids[kind]);
    expect(item === undefined, `${kind} is listed`).toBe(purged.has(kind));
    if (item === undefined) continue;
    expect((await call('POST', `/deleted/${kind}/${item.id}/purge`, { confirm: item.name })).status).toBe(204);
    let says = await actor(item.deletionId);
    if (says.waits !== undefined) {
      expect(says.waits).toContain('delete its data');
      await ours.rows.set('cluster_command', { cluster_id: clusterId }, { state: 'done', finished_at: new Date() });
      says = await actor(item.deletionId);
    }
    expect(says).toMatchObject({ state: 'purged' });
    purged.add(kind);
    for (const inner of kinds) if (parents[inner].includes(kind)) purged.add(inner);
    // The workload's own row goes when the agent reports nothing of it, and commands are the cluster's.
    const left = (await tablesMentioning(api.database, ours.organizationId, item.id)).filter(
      (table) => !['cluster_slice', 'cluster_command'].includes(table),
    );
    // Releases that mounted a volume are retired, and stay as they were.
    const released = kind === 'volume' && !purged.has('service') && !purged.has('environment');
    expect(left, kind).toEqual(released ? ['release'] : []);
  }
});

function permutations<Thing>(things: readonly Thing[]): Thing[][] {
  if (things.length === 0) return [[]];
  return things.flatMap((first, at) =>
    permutations([...things.slice(0, at), ...things.slice(at + 1)]).map((rest) => [first, ...rest]),
  );
}
