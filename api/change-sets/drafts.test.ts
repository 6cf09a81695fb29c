import { beforeEach, describe, expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { ownApi } from '../../test/api/own-api.ts';
import { seedSource } from '../../test/builds/seed-source.ts';
import type { Answered } from '../../test/installation/running-api.ts';

let projectId: string;
let environmentId: string;
let service: { serviceId: string; processId: string; slug: string };

const { api, ours } = await ownApi();
const theirs = await api.organization();

beforeEach(async () => {
  ({ projectId, staging: environmentId } = await ours.project());
  service = await ours.service(projectId);
});

interface Item {
  id: string;
  kind: string;
  key: string;
  label: string;
  from: string;
  to: string;
  secret: boolean;
  toEmpty: boolean;
}
interface View {
  changeSet: { id: string; revision: number; state: string };
  items: Item[];
  summary: { affectedServiceIds: string[]; needsApproval: boolean };
}

const url = () => `/environments/${environmentId}/change-set`;
const put = (body: unknown, as = ours.sessions.deployer) => as.put(`${url()}/items`, body);
const batch = (items: unknown[], expectedRevision?: number) =>
  ours.sessions.deployer.put(`${url()}/items:batch`, { items, expectedRevision });
const viewOf = (answered: Answered) => ok<View>(answered);
const draft = async () => viewOf(await ours.sessions.viewer.get(url()));
const create = async () => viewOf(await put({ kind: 'service.create', serviceId: service.serviceId }));
const variable = (key: string, value: string, more: object = {}) => ({
  kind: 'variable.set',
  serviceId: service.serviceId,
  key,
  value,
  ...more,
});
const discard = (id: string) => ours.sessions.deployer.delete(`/change-set-items/${id}`);
const serviceIsThere = async () => (await api.rows.all('service', { id: service.serviceId })).length === 1;

describe('staging', () => {
  test('an empty draft, and one with a change in words', async () => {
    expect(await draft()).toMatchObject({ changeSet: { state: 'draft', revision: 0 }, items: [] });
    const view = await create();
    expect(view).toMatchObject({
      changeSet: { revision: 1, state: 'draft' },
      items: [{ kind: 'service.create', label: `Service ${service.slug}`, from: '', serviceSlug: service.slug }],
      summary: { affectedServiceIds: [service.serviceId], needsApproval: false, requiresDowntime: false },
    });
    expect(JSON.parse(view.items[0]?.to ?? '')).toMatchObject({
      processes: { [service.processId]: { name: 'web', replicas: 1 } },
    });
  });

  test('the answer to staging is the draft as it is read, in its order', async () => {
    expect(await create()).toEqual(await draft());
    const several = [variable('B', '${{A}}'), variable('A', '1'), variable('S', 'secret', { secret: true })];
    expect(viewOf(await batch(several))).toEqual(await draft());
    const replaced = viewOf(await batch([variable('A', '2'), variable('C', '3')]));
    expect(replaced).toEqual(await draft());
    expect(replaced.items.map(({ key, to }) => `${key}${to}`).slice(1)).toEqual(['B"${{A}}"', 'S', 'A"2"', 'C"3"']);
    const { revision } = replaced.changeSet;
    const same = viewOf(await put(variable('C', '3')));
    expect(same).toEqual(replaced);
    expect(same.changeSet.revision).toBe(revision);
  });

  test('a later change takes the place of an earlier one, and one to what is there already takes it back', async () => {
    await create();
    const of = { kind: 'process.set', processId: service.processId };
    const set = (value: number) => put({ ...of, key: 'replicas', value });
    const second = viewOf(await set(3));
    expect(second.items).toMatchObject([
      { kind: 'service.create' },
      { kind: 'process.set', label: 'Replicas of web', from: '1', to: '3' },
    ]);
    const third = viewOf(await set(4));
    expect(third.items).toHaveLength(2);
    expect(third.items[1]?.to).toBe('4');
    expect(viewOf(await set(4)).changeSet.revision).toBe(third.changeSet.revision);
    expect(viewOf(await set(1)).items).toMatchObject([{ kind: 'service.create' }]);
    // A flag that was never set is off.
    const fix = (value: boolean) => put({ ...of, key: 'fixedPort', value });
    expect(viewOf(await fix(true)).items).toMatchObject([{ kind: 'service.create' }, { label: 'Fixed port of web' }]);
    expect(viewOf(await fix(false)).items).toMatchObject([{ kind: 'service.create' }]);
  });

  test('a secret is never answered, and stays one', async () => {
    await create();
    const secret = viewOf(await put(variable('TOKEN', 'swordfish', { secret: true }))).items[1];
    expect(secret).toMatchObject({ from: '', to: '', secret: true, toEmpty: false });
    const again = viewOf(await put(variable('TOKEN', ''))).items[1];
    expect(again).toMatchObject({ to: '', secret: true, toEmpty: true });
    expect((await put(variable('PLAIN', ''))).text).not.toContain('swordfish');
    expect(viewOf(await put(variable('PLAIN', ''))).items[2]).toMatchObject({ to: '""', secret: false, toEmpty: true });
  });

  test('422 for what its rule refuses, with its place and without secret values', async () => {
    await create();
    const refused = await batch([
      variable('A', '1'),
      variable('PORT', '80'),
      variable('1A', 'hidden-value'),
      { kind: 'process.set', processId: service.processId, key: 'replicas', value: -1 },
      { kind: 'service.set', serviceId: service.serviceId, key: 'releaseCommand', value: 'sh' },
    ]);
    expect(refused.status).toBe(422);
    const errors = refused.body.errors as { location: string }[];
    expect(errors.map(({ location }) => location)).toEqual([
      'body.items[1].key',
      'body.items[2].key',
      'body.items[3].value',
      'body.items[4].value',
    ]);
    expect(refused.text).not.toContain('hidden-value');
    expect((await draft()).items).toHaveLength(1);
    const elsewhere = await put({ ...variable('A', '1'), serviceId: crypto.randomUUID() });
    expect([elsewhere.status, elsewhere.text.includes('body.serviceId')]).toEqual([422, true]);
  });

  test('409 for what is not in the environment, or is to leave it', async () => {
    expect((await put(variable('A', '1'))).status).toBe(409);
    await create();
    expect((await put({ kind: 'process.delete', processId: service.processId })).status).toBe(200);
  });

  test('a file made of a variable is staged by its path; one that escapes, or is in the way of another, is refused', async () => {
    await create();
    const { serviceId } = service;
    const file = (key: string, value = 'CONFIG') => ({ kind: 'file.set', serviceId, key, value });
    for (const key of ['../etc/passwd', '/etc/../x', '/proc/1/environ', '/usr/bin/env', 'a//b', 'a/']) {
      expect((await put(file(key))).status, key).toBe(422);
    }
    expect((await put(file('/etc/x', 'not a name'))).status).toBe(422);
    expect(viewOf(await put(file('config/app.yml'))).items.at(-1)).toMatchObject({
      ...{ kind: 'file.set', key: 'config/app.yml', label: 'File config/app.yml', from: '', to: '"CONFIG"' },
    });
    expectProblem(await put(file('config/app.yml/x')), 409, "in each other's way");
    const unset = viewOf(await put({ kind: 'file.unset', serviceId, key: 'config/app.yml' }));
    expect(unset.items.some(({ kind }) => kind.startsWith('file.'))).toBe(false);
  });

  test('a batch is staged as a whole, by the revision that was seen', async () => {
    const { changeSet } = await create();
    const many = Array.from({ length: 500 }, (_, n) => variable(`KEY_${n}`, `${n}`));
    expect(viewOf(await batch(many, changeSet.revision)).items).toHaveLength(501);
    expectProblem(await batch([variable('KEY_1', 'x')], changeSet.revision), 409, 'Variable KEY_0');
    const none = await batch([variable('KEY_1', 'x'), { ...variable('B', 'x'), serviceId: crypto.randomUUID() }]);
    expect(none.status).toBe(422);
    expect((await draft()).items.find(({ key }) => key === 'KEY_1')?.to).toBe('"1"');
  });

  test('a new process, and its deletion before it ever was', async () => {
    await create();
    const made = { kind: 'process.create', serviceId: service.serviceId, name: 'worker', settings: { kind: 'worker' } };
    const view = viewOf(await put(made));
    const item = view.items[1] as Item & { processId: string };
    expect(JSON.parse(item.to)).toMatchObject({ kind: 'worker', name: 'worker', replicas: 1 });
    expect(JSON.parse(item.to)).not.toHaveProperty('port');
    const set = { kind: 'process.set', processId: item.processId, key: 'replicas', value: 5 };
    expect(viewOf(await put(set)).items).toHaveLength(3);
    expect(viewOf(await put({ kind: 'process.delete', processId: item.processId })).items).toHaveLength(1);
    const cron = { ...made, name: 'cron', settings: { kind: 'cron' } };
    expectProblem(await put(cron), 422, [{ location: 'body.settings.schedule' }]);
  });
});

describe('discarding', () => {
  test('a service that no environment ever had goes with what stands on it', async () => {
    const { items } = await create();
    await put(variable('A', '1'));
    expect((await discard(items[0]?.id ?? '')).status).toBe(204);
    expect((await draft()).items).toEqual([]);
    expect(await serviceIsThere()).toBe(false);
  });

  test('a service of which something was uploaded or built stays without its environment', async () => {
    const { items } = await create();
    const source = { organizationId: ours.organizationId, projectId, serviceId: service.serviceId };
    await seedSource(api.database, source);
    expect((await discard(items[0]?.id ?? '')).status).toBe(204);
    expect((await draft()).items).toEqual([]);
    expect(await serviceIsThere()).toBe(true);
    await ours.rows.remove('build_source', {});
  });

  test('one change alone', async () => {
    await create();
    const view = viewOf(await put(variable('A', '1')));
    expect((await discard(view.items[1]?.id ?? '')).status).toBe(204);
    expect((await draft()).items).toMatchObject([{ kind: 'service.create' }]);
    expect((await discard(view.items[1]?.id ?? '')).status).toBe(404);
  });

  test('the whole draft, once; a service that another draft adds stays', async () => {
    const { changeSet } = await create();
    const made = { name: 'Other', production: false };
    const other = await ours.sessions.admin.post(`/projects/${projectId}/environments`, made);
    const first = environmentId;
    environmentId = String(other.body.id);
    await create();
    environmentId = first;
    const remove = () => ours.sessions.deployer.delete(`/change-sets/${changeSet.id}`);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(204);
    expect((await draft()).items).toEqual([]);
    expect(await serviceIsThere()).toBe(true);
  });
});

test('variables show what is staged, by service and key, page by page', async () => {
  await create();
  await batch([variable('b', '2'), variable('B', '1'), variable('S', 'hidden', { secret: true })]);
  const list = async (query = '') => await ours.sessions.viewer.get(`/environments/${environmentId}/variables${query}`);
  const first = await list('?limit=2');
  expect(first.body.items).toMatchObject([
    { key: 'B', value: '1', secret: false, staged: 'set' },
    { key: 'S', value: '', secret: true, staged: 'set' },
  ]);
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`);
  expect(second.body).toMatchObject({ items: [{ key: 'b', value: '2' }] });
  expect((await list(`?serviceId=${crypto.randomUUID()}`)).body.items).toEqual([]);
});

test('a viewer reads and does not stage; others see nothing', async () => {
  expect((await put({ kind: 'service.create', serviceId: service.serviceId }, ours.sessions.viewer)).status).toBe(403);
  const { changeSet, items } = await create();
  for (const path of [url(), `/change-sets/${changeSet.id}`]) {
    expect((await ours.sessions.viewer.get(path)).status).toBe(200);
    expect((await theirs.sessions.owner.get(path)).status).toBe(404);
  }
  expect((await theirs.sessions.owner.delete(`/change-set-items/${items[0]?.id}`)).status).toBe(404);
});

test('a draft takes so many bytes, secret ones too; what takes the place of others is not counted beside them', async () => {
  await create();
  const value = 'x'.repeat(130_000);
  const some = (from: number, more = {}) =>
    batch(Array.from({ length: 8 }, (_, at) => variable(`K_${from + at}`, value, more)));
  for (let from = 0; from < 64; from += 8) expect((await some(from, { secret: from % 16 === 0 })).status).toBe(200);
  const refused = await some(64);
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('at most 20,000 changes and 8 MB');
  expect((await draft()).items).toHaveLength(65);
  expect((await some(0)).status).toBe(200);
});
