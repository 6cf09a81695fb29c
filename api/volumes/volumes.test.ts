import { describe, expect, test } from 'vitest';
import { volumeName } from '../../domain/services/volumes.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { madeProjects } from '../../test/seeds/made-project.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';

const { api, ours } = await ownApi();

const { project, service, call, staged, applied } = madeProjects(
  () => ({ api, as: ours.tokens.deployer }),
  () => ours,
);

const data = { name: 'data', mountPath: '/data', sizeBytes: 1_000 };

/** A service in both environments. */
async function inBoth() {
  const { id, staging, production } = await project();
  const made = await applied(await service(id, { name: 'api' }), [staging, production]);
  const [web] = made.processes;
  return { staging, production, made, service: made.service.id, web: web?.id ?? '' };
}

/** As if a change set with the volume had been applied in these environments. */
async function withVolume() {
  const places = await inBoth();
  const { web, staging, production } = places;
  const volume = ok(await call('POST', `/processes/${web}/volumes`, data), 201);
  await api.rows.remove('change_set_item', { volume_id: String(volume.id) });
  for (const environment of [staging, production]) {
    const path = `{processes,${web},volumes}`;
    const value = JSON.stringify({ [String(volume.id)]: { ...data, storageClass: '' } });
    await api.sql`update environment_service set settings = jsonb_set(settings, ${path}::text[], ${value}::jsonb)
      where environment_id = ${environment}`;
  }
  return { ...places, volume: String(volume.id) };
}

const listed = async (process: string, environment?: string) => {
  const query = environment === undefined ? '' : `?environmentId=${environment}`;
  const page = await call('GET', `/processes/${process}/volumes${query}`);
  expect(page.status, page.text).toBe(200);
  return page.body.items as { id: string; name: string; sizeBytes: number; usage?: object }[];
};

describe('POST /processes/{id}/volumes', () => {
  test('the definition changes at once, and the volume is staged wherever the process is', async () => {
    const { staging, production, web } = await inBoth();
    const made = ok(await call('POST', `/processes/${web}/volumes`, data), 201);
    expect(made).toMatchObject({ ...data, processId: web, storageClass: '' });
    expect(made).not.toHaveProperty('usage');
    for (const environment of [staging, production]) {
      const [item, ...others] = await staged(environment);
      expect(item).toMatchObject({ kind: 'volume.create', key: 'data', processId: web, from: '' });
      expect(JSON.parse(item?.to ?? '')).toEqual({ ...data, storageClass: '' });
      expect(others).toEqual([]);
      expect(await listed(web, environment)).toMatchObject([{ id: made.id, sizeBytes: 1_000 }]);
    }
    expect(await listed(web)).toMatchObject([{ id: made.id }]);
    expect((await call('GET', `/volumes/${made.id}`)).body).toMatchObject(data);
    const process = (await call('GET', `/processes/${web}?environmentId=${staging}`)).body;
    expect(process).not.toHaveProperty('volumes');
  });

  test('with an environment it is staged there alone; the same name in another one is the same volume', async () => {
    const { staging, production, web } = await inBoth();
    const first = ok(await call('POST', `/processes/${web}/volumes?environmentId=${staging}`, data), 201);
    expect([await listed(web, staging), await listed(web, production)]).toMatchObject([[{ name: 'data' }], []]);
    const larger = { ...data, sizeBytes: 9_000 };
    const second = await call('POST', `/processes/${web}/volumes?environmentId=${production}`, larger);
    expect([second.status, second.body.id, second.body.sizeBytes]).toEqual([201, first.id, 9_000]);
    const sizes = await Promise.all([listed(web), listed(web, staging), listed(web, production)]);
    expect(sizes.flat().map(({ sizeBytes }) => sizeBytes)).toEqual([1_000, 1_000, 9_000]);
    const again = await call('POST', `/processes/${web}/volumes?environmentId=${staging}`, data);
    expect([again.status, again.body.errors]).toMatchObject([409, [{ location: 'body.name' }]]);
  });

  // Of all that is refused nothing is written, so that they may share a service.
  let refusing: ReturnType<typeof withVolume> | undefined;
  test.each<[object, string]>([
    [{ mountPath: '/' }, 'body.mountPath'],
    [{ mountPath: '/a/../b' }, 'body.mountPath'],
    [{ mountPath: '/data/inner', name: 'second' }, 'body.mountPath'],
    [{ sizeBytes: 0 }, 'body.sizeBytes'],
    [{ name: 'Data' }, 'body.name'],
  ])('422 for %j', async (body, location) => {
    refusing ??= withVolume();
    const { web } = await refusing;
    const refused = await call('POST', `/processes/${web}/volumes`, { ...data, ...body });
    expect(refused.status, refused.text).toBe(422);
    expect((refused.body.errors as { location: string }[])[0]?.location).toBe(location);
  });

  test('409 for a process with several instances or a schedule, by its name', async () => {
    const { web, production, service: id } = await inBoth();
    await call('PATCH', `/processes/${web}?environmentId=${production}`, { replicas: 2 });
    const refused = await call('POST', `/processes/${web}/volumes`, data);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('"web" cannot have a volume')]);
    expect(refused.body.detail).toContain('"Production"');
    const cron = { name: 'nightly', kind: 'cron', schedule: '0 3 * * *' };
    const nightly = await call('POST', `/services/${id}/processes`, cron);
    expectProblem(await call('POST', `/processes/${nightly.body.id}/volumes`, data), 409, '"nightly"');
  });

  test('409 for a storage class, and for a name of another process', async () => {
    const { web, service: id } = await withVolume();
    const fast = await call('POST', `/processes/${web}/volumes`, { ...data, name: 'fast', storageClass: 'ssd' });
    expect([fast.status, fast.body.detail]).toEqual([409, expect.stringContaining('storage classes')]);
    const worker = await call('POST', `/services/${id}/processes`, { name: 'worker', kind: 'worker' });
    const taken = await call('POST', `/processes/${worker.body.id}/volumes`, { ...data, mountPath: '/other' });
    expect([taken.status, taken.body.errors]).toMatchObject([409, [{ location: 'body.name' }]]);
  });
});

test('a second instance of a process with a volume is refused, by every way', async () => {
  const { web, staging } = await withVolume();
  for (const query of ['', `?environmentId=${staging}`]) {
    expectProblem(await call('PATCH', `/processes/${web}${query}`, { replicas: 2 }), 422, 'the volume "data"');
  }
  const cron = await call('PATCH', `/processes/${web}`, { kind: 'cron', schedule: '0 3 * * *' });
  expect([cron.status, cron.body.detail]).toEqual([422, expect.stringContaining('body.kind: cannot be cron')]);
  const item = { kind: 'process.set', processId: web, key: 'replicas', value: 2 };
  expectProblem(await call('PUT', `/environments/${staging}/change-set/items`, item), 409, 'the process "web"');
  expect((await call('PATCH', `/processes/${web}`, { replicas: 0 })).status).toBe(200);
});

describe('PATCH /volumes/{id}', () => {
  test('it grows, from and to, and never shrinks', async () => {
    const { staging, production, volume } = await withVolume();
    const grown = await call('PATCH', `/volumes/${volume}`, { sizeBytes: 5_000 });
    expect([grown.status, grown.body.sizeBytes]).toEqual([200, 5_000]);
    for (const environment of [staging, production]) {
      expect(await staged(environment)).toMatchObject([{ kind: 'volume.grow', from: '1000', to: '5000' }]);
    }
    const alone = await call('PATCH', `/volumes/${volume}?environmentId=${staging}`, { sizeBytes: 6_000 });
    expect([alone.status, alone.body.sizeBytes]).toEqual([200, 6_000]);
    expect((await call('GET', `/volumes/${volume}`)).body.sizeBytes).toBe(5_000);
    expectProblem(await call('PATCH', `/volumes/${volume}`, { sizeBytes: 5_500 }), 422, '"Staging"');
    expect(await staged(staging)).toMatchObject([{ kind: 'volume.grow', from: '1000', to: '6000' }]);
  });
});

describe('DELETE /volumes/{id}', () => {
  test('one that was never applied is forgotten, with what was staged of it', async () => {
    const { staging, production, web } = await inBoth();
    const { id } = (await call('POST', `/processes/${web}/volumes`, data)).body;
    await call('PATCH', `/volumes/${id}?environmentId=${staging}`, { sizeBytes: 2_000 });
    expect((await staged(staging)).length).toBe(2);
    expect((await call('DELETE', `/volumes/${id}`)).status).toBe(204);
    for (const environment of [staging, production]) expect(await staged(environment)).toEqual([]);
    expect((await call('GET', `/volumes/${id}`)).status).toBe(404);
  });

  test('one that is mounted stays until its removal is applied, and its name is free', async () => {
    const { staging, web, volume } = await withVolume();
    expect((await call('DELETE', `/volumes/${volume}`)).status).toBe(204);
    expect(await staged(staging)).toMatchObject([{ kind: 'volume.delete', key: 'data' }]);
    expect([await listed(web), await listed(web, staging)]).toEqual([[], []]);
    expect((await call('GET', `/volumes/${volume}`)).status).toBe(200);
    expect((await call('PATCH', `/volumes/${volume}?environmentId=${staging}`, { sizeBytes: 2_000 })).status).toBe(404);
    const another = ok(await call('POST', `/processes/${web}/volumes`, data), 201);
    expect(another.id).not.toBe(volume);
  });

  test('discarding the change that adds it forgets it where nothing else has it', async () => {
    const { staging, web } = await inBoth();
    const { id } = (await call('POST', `/processes/${web}/volumes?environmentId=${staging}`, data)).body;
    const draft = await call('GET', `/environments/${staging}/change-set`);
    const [item] = draft.body.items as { id: string; volumeId: string }[];
    expect(item?.volumeId).toBe(id);
    expect((await call('DELETE', `/change-set-items/${item?.id}`)).status).toBe(204);
    expect((await call('GET', `/volumes/${id}`)).status).toBe(404);
  });
});

test('items of a change set add, grow and delete volumes, and what does not fit together is refused', async () => {
  const { staging, production, web } = await inBoth();
  const put = (environment: string, ...items: object[]) =>
    call('PUT', `/environments/${environment}/change-set/items:batch`, { items });
  const create = (key: string, value: object) => ({ kind: 'volume.create', processId: web, key, value });
  const made = await put(staging, create('data', { mountPath: '/data', sizeBytes: 10 }));
  expect(made.status, made.text).toBe(200);
  const [{ volumeId = '', label = '' } = {}] = made.body.items as { volumeId: string; label: string }[];
  expect(label).toBe('Volume data of web');
  const both = await put(production, create('data', { mountPath: '/srv', sizeBytes: 20 }));
  expect(both.body.items).toMatchObject([{ volumeId }]);
  expectProblem(await put(staging, { kind: 'volume.grow', volumeId, value: 5 }), 409, 'only grows');
  expectProblem(await put(staging, create('logs', { mountPath: '/data/logs', sizeBytes: 10 })), 409, 'overlaps');
  const wrong = await put(staging, create('logs', { mountPath: 'logs', sizeBytes: 10 }));
  expect([wrong.status, wrong.body.errors]).toMatchObject([422, [{ location: 'body.items[0].value' }]]);
  const deleted = await put(staging, { kind: 'volume.delete', volumeId });
  expect([deleted.status, deleted.body.items]).toEqual([200, []]);
});

test('the usage in an environment is as its cluster told it', async () => {
  const { organizationId } = ours;
  const place = await seedPlace(api.database, organizationId);
  const { environmentId, serviceId, processId, clusterId } = place;
  const made = ok(await call('POST', `/processes/${processId}/volumes?environmentId=${environmentId}`, data), 201);
  const volumes = JSON.stringify([{ name: volumeName(String(made.id)), usedBytes: 640 }]);
  await api.sql`insert into observed_slice (cluster_id, key, organization_id, applied_revision, instances, volumes, traffic)
    values (${clusterId}, ${`env/${environmentId}/${serviceId}`}, ${organizationId}, 1, '[]', ${volumes}::jsonb, '[]')
  `;
  const usage = { usedBytes: 640, capacityBytes: 1_000, sizeEnforced: false, observedAt: expect.any(String) };
  expect(await listed(processId, environmentId)).toMatchObject([{ usage }]);
  const read = await call('GET', `/volumes/${made.id}?environmentId=${environmentId}`);
  expect(read.body.usage).toEqual(usage);
  const filesystem = { availableBytes: 10, capacityBytes: 100 };
  const disk = JSON.stringify({ ...filesystem, pressure: true });
  await api.sql`update cluster_agent set disk = ${disk}::jsonb where cluster_id = ${clusterId}`;
  expect(await listed(processId, environmentId)).toMatchObject([{ usage: { ...usage, filesystem } }]);
});

test('pages follow each other', async () => {
  const { web } = await inBoth();
  for (const name of ['one', 'two', 'three']) {
    await call('POST', `/processes/${web}/volumes`, { ...data, name, mountPath: `/${name}` });
  }
  const first = await call('GET', `/processes/${web}/volumes?limit=2`);
  const second = await call('GET', `/processes/${web}/volumes?limit=2&cursor=${first.body.nextCursor}`);
  const names = [first, second].flatMap(({ body }) => (body.items as { name: string }[]).map(({ name }) => name));
  expect([names, second.body.nextCursor]).toEqual([['one', 'two', 'three'], undefined]);
});
