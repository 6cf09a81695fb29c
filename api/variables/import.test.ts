import { expect, test } from 'vitest';
import { ok } from '../../test/api/client.ts';
import { api, type Imported, imported, imports, ours, put, send, serviceId, url } from '../../test/api/imports.ts';

const apply = async () => {
  const draft = await ours.sessions.viewer.get(`${url()}/change-set`);
  const { id } = draft.body.changeSet as { id: string };
  ok(await api.as(ours.sessions.deployer).post(`/change-sets/${id}/apply`, {}));
};

const keys = async () => {
  const { body } = await ours.sessions.viewer.get(`${url()}/variables?limit=200`);
  return (body as { items: { key: string; value: string; secret: boolean; staged?: string }[] }).items;
};

const told = ({ changes }: Imported) => changes.map(({ key, change, from, to }) => [key, change, from, to]);

imports();

test('an import tells what it adds, changes and leaves, and stages that alone', async () => {
  const first = imported(await send('A=1\nB="two\nlines"\nTOKEN=hidden', { secret: ['TOKEN'] }));
  expect(first).toMatchObject({ staged: true });
  expect(told(first)).toEqual([
    ['A', 'added', '', '1'],
    ['B', 'added', '', 'two\nlines'],
    ['TOKEN', 'added', '', ''],
  ]);
  const second = await send('A=2\nB="two\nlines"\nTOKEN=hidden\nC=');
  expect(told(imported(second))).toEqual([
    ['A', 'changed', '1', '2'],
    ['B', 'unchanged', 'two\nlines', 'two\nlines'],
    ['TOKEN', 'unchanged', '', ''],
    ['C', 'added', '', ''],
  ]);
  expect(second.text).not.toContain('hidden');
  expect((await keys()).map(({ key, value, secret }) => [key, value, secret])).toEqual([
    ['A', '2', false],
    ['B', 'two\nlines', false],
    ['C', '', false],
    ['TOKEN', '', true],
  ]);
  expect(imported(await send('A=2\nTOKEN=other'))).toMatchObject({
    changes: [{ change: 'unchanged' }, { change: 'changed' }],
  });
});

test('a dry run only tells, also what a replacement removes', async () => {
  const { revision } = imported(await send('A=1\nS=2', { secret: ['S'] }));
  const dry = imported(await send('A=1\nAPI_TOKEN=3', { dryRun: true, replace: true, expectedRevision: revision }));
  expect(dry).toMatchObject({ staged: false, revision });
  expect(dry.changes.map(({ key, change, looksSecret }) => [key, change, looksSecret])).toEqual([
    ['A', 'unchanged', false],
    ['API_TOKEN', 'added', true],
    ['S', 'removed', false],
  ]);
  expect((await keys()).map(({ key }) => key)).toEqual(['A', 'S']);
  imported(await send('A=1\nAPI_TOKEN=3', { replace: true, expectedRevision: revision }));
  expect((await keys()).map(({ key }) => key)).toEqual(['A', 'API_TOKEN']);
});

test('what is staged to be unset is compared as absent, and the import takes that back', async () => {
  imported(await send('A=1\nB=2'));
  await apply();
  await put({ kind: 'variable.unset', serviceId, key: 'A' });
  expect(told(imported(await send('A=1\nB=2')))).toEqual([
    ['A', 'added', '', '1'],
    ['B', 'unchanged', '2', '2'],
  ]);
  expect((await keys()).map(({ key, staged }) => [key, staged])).toEqual([
    ['A', undefined],
    ['B', undefined],
  ]);
});

test('a fault anywhere is named with its line, and nothing is staged', async () => {
  const refused = await send('A=1\nno assignment\nPORT=2\n2X=3\nA=4\nS="hunter2" hunter2');
  expect(refused.status).toBe(422);
  const { errors } = refused.body as { errors: { location: string; message: string }[] };
  expect(errors.map(({ location, message }) => `${location} ${message}`)).toEqual([
    'body.text line 2: is not KEY=value: no assignment',
    'body.text line 3: PORT: key is set by Ballast: it is the port of the process',
    expect.stringContaining('body.text line 4: 2X: key must be of letters'),
    'body.text line 5: A is there more than once: on lines 1, 5',
    'body.text line 6: S has text behind its closing quote',
  ]);
  expect(refused.text).not.toContain('hunter2');
  expect(await keys()).toEqual([]);
  expect((await send(`BIG=${'x'.repeat(131_073)}`)).text).toContain('line 1: BIG: value must have at most 128 kB');
  expect((await send('A=1', { secret: ['B'] })).text).toContain('body.secret[0]');
  expect((await send('# nothing')).status).toBe(422);
});

test('a draft that somebody changed meanwhile is not imported into', async () => {
  const { revision } = imported(await send('A=1'));
  await put({ kind: 'variable.set', serviceId, key: 'B', value: '1' });
  const refused = await send('A=2', { expectedRevision: revision });
  expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('Variable B') } });
  expect((await keys()).map(({ key, value }) => `${key}=${value}`)).toEqual(['A=1', 'B=1']);
});

test('more variables than a batch takes are one change', async () => {
  const text = Array.from({ length: 510 }, (_, number) => `KEY_${number}=value ${number}`).join('\n');
  expect(imported(await send(text, { secret: ['KEY_7'] })).changes).toHaveLength(510);
  await apply();
  const of = () =>
    api.database.kysely.selectFrom('variable').select(['key', 'value', 'sealed']).where('service_id', '=', serviceId);
  expect(await of().execute()).toHaveLength(510);
  expect((await of().where('key', '=', 'KEY_7').execute())[0]).toMatchObject({ value: '', sealed: expect.any(Buffer) });
  // All but two of them go, and one changes.
  imported(await send('KEY_1=value 1\nKEY_2=other', { replace: true }));
  await apply();
  expect((await of().orderBy('key').execute()).map(({ key, value }) => `${key}=${value}`)).toEqual([
    'KEY_1=value 1',
    'KEY_2=other',
  ]);
});
