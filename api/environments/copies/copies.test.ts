import { beforeEach, expect, test } from 'vitest';
import { ok } from '../../../test/api/client.ts';
import { ownApi } from '../../../test/api/own-api.ts';

let projectId: string;
let staging: string;
let production: string;
let services: { serviceId: string; processId: string; slug: string }[];

const { ours } = await ownApi();

beforeEach(async () => {
  ({ projectId, production, staging } = await ours.project());
  services = [await ours.service(projectId), await ours.service(projectId)];
  await stage(
    staging,
    services.flatMap(({ serviceId, processId }) => [
      { kind: 'service.create', serviceId },
      { kind: 'process.set', processId, key: 'replicas', value: 3 },
      { kind: 'variable.set', serviceId, key: 'LEVEL', value: 'debug' },
      { kind: 'variable.set', serviceId, key: 'TOKEN', value: 'hunter2', secret: true },
    ]),
  );
  await apply(staging);
});

const as = () => ours.sessions.admin;
const stage = async (environment: string, items: unknown[]) =>
  ok(await as().put(`/environments/${environment}/change-set/items:batch`, { items }));
const draftOf = async (environment: string) =>
  ok<{ changeSet: { id: string }; items: { kind: string; key: string; secret: boolean; to: string }[] }>(
    await as().get(`/environments/${environment}/change-set`),
  );
const apply = async (environment: string) => {
  const { changeSet } = await draftOf(environment);
  ok(await as().post(`/change-sets/${changeSet.id}/apply`, { message: 'Go' }));
};
const compare = (from: string, to: string, who = ours.sessions.viewer) =>
  who.get(`/environments/${from}/compare?with=${to}`);
const clone = async (body: object, who = as()) => await who.post(`/environments/${staging}/clone`, body);

test('a clone stages all that its source has, with secrets that nobody sees, and once applied it is the same', async () => {
  const serviceId = services[0]?.serviceId;
  await stage(staging, [
    { kind: 'variable.set', key: 'REGION', value: 'eu' },
    { kind: 'variable.set', key: 'KEY', value: 'hunter2', secret: true },
    { kind: 'variable.set', serviceId, key: 'WHERE', value: '${{shared.REGION}}' },
  ]);
  await apply(staging);
  const answered = await clone({ name: 'Load test' });
  const made = ok(answered, 201);
  expect(made).toMatchObject({ name: 'Load test', slug: 'load-test', production: false, autoDeploy: false });
  const { items } = await draftOf(String(made.id));
  expect(items.map(({ kind }) => kind).toSorted()).toEqual([
    ...['service.create', 'service.create', 'variable.set', 'variable.set', 'variable.set', 'variable.set'],
    // The shared variables, and the one that refers to one of them.
    ...['variable.set', 'variable.set', 'variable.set'],
  ]);
  expect(
    items
      .filter(({ secret }) => secret)
      .map(({ key, to }) => [key, to])
      .toSorted(),
  ).toEqual([
    ['KEY', ''],
    ['TOKEN', ''],
    ['TOKEN', ''],
  ]);
  await apply(String(made.id));
  const compared = ok(await compare(staging, String(made.id)));
  expect(compared).toMatchObject({ services: [{ comparison: 'same' }, { comparison: 'same' }], shared: [] });
  expect(JSON.stringify([made, items])).not.toContain('hunter2');
  expect((await clone({ name: 'Mine' }, ours.sessions.deployer)).status).toBe(403);
});

test('a clone of production leaves secrets out, and names them, unless it is production, too', async () => {
  const serviceId = services[0]?.serviceId;
  ok(await as().patch(`/environments/${staging}`, { production: true }));
  const leaving = ok(await clone({ name: 'Debug' }), 201);
  const left = leaving.leftOut as { serviceId: string; key: string }[];
  expect(left).toHaveLength(2);
  expect(left).toContainEqual({ serviceId, key: 'TOKEN' });
  const { items } = await draftOf(String(leaving.id));
  expect(items.filter(({ kind }) => kind === 'variable.set').map(({ key }) => key)).toEqual(['LEVEL', 'LEVEL']);
  const staying = ok(await clone({ name: 'Spare', production: true }), 201);
  expect(staying.leftOut).toEqual([]);
  const kept = (await draftOf(String(staying.id))).items.filter(({ secret }) => secret);
  expect(kept.map(({ key }) => key)).toEqual(['TOKEN', 'TOKEN']);
});

test('two environments are compared service by service, secrets without their values', async () => {
  const [first, second] = services.toSorted((one, other) => (one.slug < other.slug ? -1 : 1)) as [
    (typeof services)[0],
    (typeof services)[0],
  ];
  const { serviceId, processId } = first;
  const copy = String(ok(await clone({ name: 'Copy' }), 201).id);
  await apply(copy);
  await stage(copy, [
    { kind: 'process.set', processId, key: 'replicas', value: 5 },
    { kind: 'service.set', serviceId, key: 'dependsOn', value: [second.slug] },
    { kind: 'variable.set', serviceId, key: 'LEVEL', value: 'info' },
    { kind: 'variable.set', serviceId, key: 'TOKEN', value: 'hunter3' },
    { kind: 'variable.set', serviceId, key: 'MORE', value: '1' },
    { kind: 'service.remove', serviceId: second.serviceId },
  ]);
  // Staged changes are not compared.
  expect(ok(await compare(staging, copy))).toMatchObject({
    services: [{ comparison: 'same' }, { comparison: 'same' }],
  });
  await stage(copy, [{ kind: 'service.set', serviceId, key: 'dependsOn', value: [] }]);
  await apply(copy);
  const answered = await compare(staging, copy);
  const { services: compared } = ok(answered) as unknown as {
    services: { serviceId: string; comparison: string; differences: Record<string, unknown>[] }[];
  };
  const of = (id: string) => compared.find((one) => one.serviceId === id);
  expect(of(second.serviceId)).toMatchObject({ comparison: 'only-from', differences: [] });
  expect(
    of(serviceId)?.differences.map(({ kind, process, key, from, to, secret }) => [
      kind,
      process,
      key,
      from,
      to,
      secret,
    ]),
  ).toEqual([
    ['process', 'web', 'replicas', '3', '5', false],
    ['variable', '', 'LEVEL', '"debug"', '"info"', false],
    ['variable', '', 'MORE', '', '"1"', false],
    ['variable', '', 'TOKEN', '', '', true],
  ]);
  expect(answered.text).not.toContain('hunter');
});

test('variables that services share are compared, too, secrets without their values', async () => {
  const shared = (key: string, value: string, more = {}) => ({ kind: 'variable.set', key, value, ...more });
  await stage(staging, [shared('SAME', '1'), shared('REGION', 'eu'), shared('KEY', 'hunter2', { secret: true })]);
  await apply(staging);
  const copy = String(ok(await clone({ name: 'Other region' }), 201).id);
  await apply(copy);
  await stage(copy, [shared('REGION', 'us'), shared('KEY', 'hunter3'), shared('NEW', 'n')]);
  await apply(copy);
  const answered = await compare(staging, copy);
  expect(ok(answered)).toMatchObject({ services: [{ comparison: 'same' }, { comparison: 'same' }] });
  const { shared: found } = answered.body as unknown as { shared: Record<string, unknown>[] };
  expect(found.map(({ kind, key, from, to, secret }) => [kind, key, from, to, secret])).toEqual([
    ['variable', 'KEY', '', '', true],
    ['variable', 'NEW', '', '"n"', false],
    ['variable', 'REGION', '"eu"', '"us"', false],
  ]);
  expect(answered.text).not.toContain('hunter');
});

test('an environment of another project is not compared', async () => {
  const other = await as().post('/projects', { name: 'Other' });
  const [theirs] = (other.body as { environments: { id: string }[] }).environments;
  expect((await compare(staging, theirs?.id ?? '')).status).toBe(404);
  expect(ok(await compare(staging, production))).toMatchObject({
    services: [{ comparison: 'only-from' }, { comparison: 'only-from' }],
  });
});

test('the past of a variable tells who staged and who applied each change, newest first, and no secret', async () => {
  const { serviceId } = services[0] as (typeof services)[0];
  const set = (key: string, value: string) => stage(staging, [{ kind: 'variable.set', serviceId, key, value }]);
  await set('LEVEL', 'info');
  await set('TOKEN', 'hunter3');
  await apply(staging);
  await stage(staging, [{ kind: 'variable.unset', serviceId, key: 'LEVEL' }]);
  await apply(staging);
  await set('LEVEL', 'only staged');
  const history = async (key: string, more = '') =>
    await ours.sessions.viewer.get(
      `/environments/${staging}/variables/history?serviceId=${serviceId}&key=${key}${more}`,
    );
  const found = ok(await history('LEVEL')) as { items: Record<string, unknown>[] };
  expect(found.items.map(({ change, from, to, message }) => [change, from, to, message])).toEqual([
    ['unset', '"info"', '', 'Go'],
    ['set', '"debug"', '"info"', 'Go'],
    ['set', '', '"debug"', 'Go'],
  ]);
  expect(found.items[0]).toMatchObject({
    stagedBy: { name: expect.any(String) },
    appliedBy: { id: expect.any(String) },
  });
  const secrets = await history('TOKEN');
  expect(ok(secrets)).toMatchObject({ items: [{ secret: true, from: '', to: '' }, { secret: true }] });
  expect(secrets.text).not.toContain('hunter');
  const page = ok(await history('LEVEL', '&limit=2')) as { items: unknown[]; nextCursor: string };
  const rest = ok(await history('LEVEL', `&limit=2&cursor=${encodeURIComponent(page.nextCursor)}`)) as {
    items: unknown[];
  };
  expect([...page.items, ...rest.items]).toEqual(found.items);
});

test('a change that is held for its approval is not yet in the past of a variable', async () => {
  const { serviceId } = services[0] as (typeof services)[0];
  await stage(production, [
    { kind: 'service.create', serviceId },
    { kind: 'variable.set', serviceId, key: 'LEVEL', value: 'info' },
  ]);
  await apply(production);
  const url = `/environments/${production}/variables/history?serviceId=${serviceId}&key=LEVEL`;
  expect(ok(await ours.sessions.viewer.get(url))).toMatchObject({ items: [] });
});
