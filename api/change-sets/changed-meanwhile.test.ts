import { beforeEach, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { applyGround } from '../../test/seeds/apply-ground.ts';

const at = applyGround();
const { apply, call, create, stage, variable } = at;

beforeEach(async () => {
  await stage(at.staging, create());
});

const put = (item: object, as = at.ours.sessions.deployer) =>
  call('PUT', `/environments/${at.staging}/change-set/items`, item, as);
const batch = (...items: object[]) => call('PUT', `/environments/${at.staging}/change-set/items:batch`, { items });
const list = async () => {
  const { body } = await call('GET', `/environments/${at.staging}/variables`);
  return body.items as { key: string; value: string; itemId?: string; updatedAt: string }[];
};
const seenOf = async (key: string) => {
  const { itemId, updatedAt } = (await list()).find((one) => one.key === key) ?? { updatedAt: '' };
  return itemId === undefined ? { updatedAt } : { itemId };
};
const shared = (key: string, value: string, seen: object) => ({ kind: 'variable.set', key, value, seen });

test('a variable that somebody else has changed meanwhile is not overwritten unseen', async () => {
  expect((await put(variable('GREETER', 'Ada', { seen: {} }))).status).toBe(200);
  const first = await seenOf('GREETER');
  expect((await put(variable('GREETER', 'Grace', { seen: first }), at.ours.sessions.admin)).status).toBe(200);

  const late = await put(variable('GREETER', 'Edsger', { seen: first }));
  expect(late.body).toMatchObject({
    ...{ status: 409, detail: expect.stringContaining('changed GREETER') },
    errors: [{ location: 'body.value' }],
    meanwhile: [{ location: 'body.value', value: 'Grace', by: expect.any(String), at: expect.any(String) }],
  });
  // A taken key is refused; the same value, the variable as it was seen, and a change without it are not.
  expect((await put(variable('GREETER', 'Edsger', { seen: {} }))).body.meanwhile).toHaveLength(1);
  expect((await put(variable('GREETER', 'Grace', { seen: first }))).status).toBe(200);
  const unset = { kind: 'variable.unset', serviceId: at.service.serviceId, key: 'GREETER' };
  expect((await put({ ...unset, seen: first })).body.meanwhile).toHaveLength(1);
  expect((await list()).map(({ key, value }) => [key, value])).toEqual([['GREETER', 'Grace']]);
  expect((await put(variable('GREETER', 'Edsger', { seen: await seenOf('GREETER') }))).status).toBe(200);

  // Secret ones are never told, whichever changed.
  expect((await put(variable('TOKEN', 'hunter2', { secret: true, seen: {} }))).status).toBe(200);
  const secret = await put(variable('TOKEN', 'hunter3', { secret: true, seen: {} }));
  expect([secret.body.meanwhile, secret.text]).toEqual([expect.any(Array), expect.not.stringContaining('hunter')]);

  await apply(at.staging);
  const then = await seenOf('GREETER');
  expect(then).toEqual({ updatedAt: expect.any(String) });
  expect((await put(variable('GREETER', 'Alan', { seen: then }))).status).toBe(200);
  expect((await put(variable('GREETER', 'Barbara', { seen: then }))).body).toMatchObject({
    meanwhile: [{ value: 'Alan' }],
  });
});

test('what is overwritten on purpose is what the answer told, and nothing that came later', async () => {
  const { serviceId } = at.service;
  const told = async (answer: ReturnType<typeof put>) =>
    ((await answer).body.meanwhile as { seen: object }[] | undefined)?.[0]?.seen;
  const kept = async (change: (value: string, seen?: object) => object, own: string, before: object) => {
    const mine = (seen: object | undefined) => put(change(own, seen));
    const first = await told(mine(before));
    expect(first).toBeDefined();
    expect((await put(change('theirs again'))).status).toBe(200);
    const second = await told(mine(first));
    expect(second).toBeDefined();
    expect((await mine(second)).status).toBe(200);
  };
  const greeter = (value: string, seen?: object) => variable('GREETER', value, seen === undefined ? {} : { seen });
  expect((await put(greeter('theirs'))).status).toBe(200);
  await kept(greeter, 'mine', {});
  // Of one that is applied, and of one that is staged to be removed.
  await apply(at.staging);
  await kept(greeter, 'mine anew', {});
  expect((await put({ kind: 'variable.unset', serviceId, key: 'GREETER' })).status).toBe(200);
  const unset = await told(put(greeter('mine', { updatedAt: new Date(0).toISOString() })));
  expect((await put(greeter('mine', unset))).status).toBe(200);

  const command = (value: string, seen?: object) => ({
    ...{ kind: 'service.set', serviceId, key: 'releaseCommand', value: [value] },
    ...(seen === undefined ? {} : { seen }),
  });
  expect((await put(command('theirs'))).status).toBe(200);
  await kept(command, 'mine', { value: ['before'] });
});

test('of many variables each is told by its own place: of the service, shared, staged and applied', async () => {
  await stage(at.staging, variable('APPLIED', 'a'), shared('BOTH', 'of all', {}));
  await apply(at.staging);
  await stage(at.staging, variable('STAGED', 's'), variable('BOTH', 'own'));
  const wrong = { seen: { updatedAt: new Date(0).toISOString() } };
  const { body } = await batch(
    variable('UNSEEN', '1'),
    variable('APPLIED', 'x', wrong),
    variable('NEW', 'x', { seen: {} }),
    shared('BOTH', 'x', wrong.seen),
    variable('BOTH', 'x', { seen: {} }),
    variable('STAGED', 'x', wrong),
    variable('STAGED', 's', wrong),
  );
  expect(body.meanwhile).toMatchObject([
    { location: 'body.items[1].value', value: 'a' },
    { location: 'body.items[3].value', value: 'of all' },
    { location: 'body.items[4].value', value: 'own' },
    { location: 'body.items[5].value', value: 's' },
  ]);
});

test('a file that somebody else has changed meanwhile is not overwritten unseen', async () => {
  await stage(at.staging, ...['A', 'B', 'C'].map((key) => variable(key, key)));
  const file = (value: string, seen: object) => ({ ...ofFile('file.set'), value, seen });
  const unset = (seen: object) => ({ ...ofFile('file.unset'), seen });
  const ofFile = (kind: string) => ({ kind, serviceId: at.service.serviceId, key: 'config/app.yml' });
  const conflict = (value: string) => ({
    ...{ status: 409, detail: expect.stringContaining('changed config/app.yml') },
    errors: [{ location: 'body.value' }],
    meanwhile: [{ location: 'body.value', value, by: expect.any(String), at: expect.any(String) }],
  });
  const made = async () => {
    const { body } = await call('GET', `/services/${at.service.serviceId}?environmentId=${at.staging}`);
    return body.files;
  };

  expect((await put(file('A', {}))).status).toBe(200);
  expect((await put(file('B', { value: 'A' }), at.ours.sessions.admin)).status).toBe(200);
  expect((await put(file('C', { value: 'A' }))).body).toMatchObject(conflict('B'));
  // A taken path is refused; the same variable, the file as it was seen, and a change without it are not.
  expect((await put(file('C', {}))).body).toMatchObject(conflict('B'));
  expect((await put(unset({ value: 'A' }))).body).toMatchObject(conflict('B'));
  expect((await put(file('B', { value: 'A' }))).status).toBe(200);
  expect(await made()).toEqual([{ path: 'config/app.yml', variable: 'B' }]);

  expect((await put(unset({ value: 'B' }))).status).toBe(200);
  expect((await put(unset({ value: 'B' }))).status, 'unset already').toBe(200);
  expect((await put(file('C', { value: 'B' }))).body).toMatchObject({ status: 409, meanwhile: [expect.anything()] });
  expect((await put(file('C', {}))).status).toBe(200);
  expect(await made()).toEqual([{ path: 'config/app.yml', variable: 'C' }]);
});

test('so are settings of services and processes, each told by its own place', async () => {
  const { serviceId } = at.service;
  const timeout = (value: number, seen: object) => ({
    ...{ kind: 'service.set', serviceId, key: 'releaseCommandTimeoutSeconds', value, seen },
  });
  const replicas = (value: number, seen: object) => ({ ...at.replicas(value), seen });
  ok(await batch(timeout(60, { value: 600 }), replicas(2, { value: 1 })));
  const { body } = await batch(
    timeout(90, { value: 600 }),
    variable('NEW', 'x', { seen: {} }),
    variable('OLD', 'x', { seen: { updatedAt: new Date(0).toISOString() } }),
    replicas(3, { value: 1 }),
    replicas(2, { value: 1 }),
    timeout(90, { value: 60 }),
  );
  expect(body).toMatchObject({
    status: 409,
    meanwhile: [
      { location: 'body.items[0].value', value: 60 },
      { location: 'body.items[2].value' },
      { location: 'body.items[3].value', value: 2, by: expect.any(String), at: expect.any(String) },
    ],
  });

  await apply(at.staging);
  expect((await put(timeout(90, { value: 600 }))).body.meanwhile).toEqual([
    { location: 'body.value', value: 60, by: expect.any(String), at: expect.any(String), seen: { value: 60 } },
  ]);
  expect((await put(timeout(90, { value: 60 }))).status).toBe(200);
});
