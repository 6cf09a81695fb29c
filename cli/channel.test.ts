import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { effect } from '../db/engine/effect.ts';
import { notify } from '../db/notifications/notify.ts';
import { clusterLost } from '../domain/notifications/messages.ts';
import { joinedCluster } from '../test/clusters/joined-cluster.ts';
import { receiver } from '../test/ground/receiver.ts';
import { machine } from '../test/seeds/seed.ts';

const key = 'R0UT1NGKEY0123456789abcd';

const there = await receiver();
const hook = there.url('/hooks/hunter2');
const joined = await joinedCluster(there.settings);
const { ballast } = joined;
afterAll(async () => {
  await joined.close();
  await there.close();
});
beforeEach(() => {
  there.requests.length = 0;
});

const file = (name: string, text: string) => {
  const path = join(joined.directory, name);
  writeFileSync(path, text);
  return path;
};
const add = (label: string, ...more: string[]) =>
  ballast(['channel', 'add', label, '--kind', 'chat', ...more], { input: `${hook}\n` });
const line = async (label: string) =>
  (await ballast(['channel', 'list'])).out.split('\n').find((row) => row.startsWith(`${label} `)) ?? '';

test('a chat and a pager are added with their secrets by input and file, tested and listed', async () => {
  expect((await ballast(['channel', 'list'])).out).toContain('There is no notification channel yet');
  const chat = await add('ops');
  expect(chat).toEqual({ code: 0, out: 'The channel ops is added, and its test has arrived.\n', err: '' });
  const secret = file('key.txt', `${key}\n`);
  const words = ['channel', 'add', 'night shift', '--kind', 'pager', '--events', 'failure', '--secret-file', secret];
  const pager = await ballast([...words, '--json']);
  expect(JSON.parse(pager.out)).toMatchObject({
    delivered: true,
    channel: { kind: 'incident_pager', events: ['failure'] },
  });
  expect(there.requests.map(({ path }) => path)).toEqual(['/hooks/hunter2', expect.stringContaining('change')]);
  const [list, json] = await Promise.all([ballast(['channel', 'list']), ballast(['channel', 'list', '--json'])]);
  expect(list.out).toMatch(
    /^label +kind +hint +events +state +last delivered +next attempt\nops +chat +127\.0\.0\.1:\d+ /,
  );
  expect(list.out).toMatch(/\nnight shift +pager +…abcd +failure +working +20\S+Z +-\n$/);
  for (const { out, err } of [chat, pager, list, json]) expect(out + err).not.toMatch(/hunter2|R0UT1NGKEY/);
});

test('a channel whose test fails stays, and gets another secret', async () => {
  there.answers(404);
  const added = await add('broken');
  expect(added).toMatchObject({ code: 1, out: 'The channel broken is added.\n' });
  expect(added.err).toMatch(
    /^ballast: The test of broken failed: .*404.*\. `\.\/ballast channel set broken --secret-file/,
  );
  expect(await line('broken')).toMatch(/ failing +never +- .*404/);
  const mended = await ballast(['channel', 'set', 'broken', '--secret-file', '-'], { input: there.url('/other') });
  expect(mended).toMatchObject({ code: 0, err: '`./ballast channel test broken` tests it.\n' });
  const tested = await ballast(['channel', 'test', 'broken']);
  expect(tested).toEqual({ code: 0, out: 'The test of broken has arrived.\n', err: '' });
  expect(there.requests.map(({ path }) => path)).toEqual(['/hooks/hunter2', '/other']);
  there.answers(500);
  const failed = await ballast(['channel', 'test', 'broken', '--json']);
  expect([failed.code, JSON.parse(failed.out)]).toMatchObject([1, { delivered: false, channel: { label: 'broken' } }]);
});

test('a label that several channels have is refused with their ids, and each is named by its id', async () => {
  const twice = async () => JSON.parse((await add('twice', '--no-test', '--json')).out).channel.id;
  const [first, second] = await Promise.all([twice(), twice()]);
  expect(there.requests).toEqual([]);
  const refused = await ballast(['channel', 'delete', 'twice', '--yes']);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Several notification channels are called')]);
  for (const id of [first, second]) expect(refused.err).toContain(`\n  ${id}  chat 127.0.0.1:`);
  const set = await ballast(['channel', 'set', first, '--label', 'once', '--events', 'deploy, failure', '--json']);
  expect(JSON.parse(set.out).channel).toMatchObject({ id: first, label: 'once', events: ['failure', 'deploy'] });
  const unsure = await ballast(['channel', 'delete', 'once']);
  expect(unsure).toMatchObject({ code: 2, err: expect.stringContaining('give --yes to do that') });
  expect((await ballast(['channel', 'delete', second, '-y'])).out).toBe('The channel twice is deleted.\n');
});

test('what cannot be meant is said in a sentence, and a secret that was typed is not repeated', async () => {
  const refusals = await Promise.all([
    ballast(['channel', 'add', 'ops', hook, '--kind', 'chat']),
    ballast(['channel', 'add', hook, '--kind', 'chat']),
    ballast(['channel', 'add', 'ops', '--kind', 'chat', '--secret-file', hook]),
    ballast(['channel', 'add', 'ops', '--kind', 'chat']),
    ballast(['channel', 'add', 'ops', '--kind', 'chat'], { input: 'http://127.0.0.1/hunter2' }),
    ballast(['channel', 'add', 'ops', '--kind', 'mail']),
    ballast(['channel', 'add', 'ops', '--kind', 'chat', '--events', 'failure,doom']),
    ballast(['channel', 'set', 'ops']),
    ballast(['channel', 'test', 'nothing']),
  ]);
  expect(refusals.map(({ code, out, err }) => [code, out, err])).toEqual([
    [2, '', expect.stringContaining('A secret is no argument')],
    [2, '', expect.stringContaining('A secret is no argument')],
    [2, '', expect.stringContaining('takes the name of a file')],
    [2, '', expect.stringContaining('There is no secret: give it by the standard input')],
    [1, '', expect.stringContaining('secret: must be the absolute address')],
    [2, '', 'ballast: --kind must be one of chat, pager.\n'],
    [2, '', expect.stringContaining('--events has "doom"')],
    [2, '', expect.stringContaining('Say what to change')],
    [2, '', expect.stringContaining('There is no notification channel "nothing"; there is: ')],
  ]);
  expect(refusals.map(({ err }) => err).join('')).not.toContain('hunter2');
});

test('what is on its way is listed, retried, and dropped with a channel that is disabled', async () => {
  const { api, ours } = joined;
  expect((await add('slow', '--no-test')).out).toBe('The channel slow is added.\n');
  const message = clusterLost({ clusterId: uuid(), name: 'Oslo' });
  await effect(api.database, machine, (telling) =>
    notify(telling, {
      ...{ organizationId: ours.organizationId, occasion: 'oslo', message, to: {} },
      channels: { chat: true },
    }),
  );
  const nothing = await ballast(['channel', 'retry', 'slow']);
  expect(nothing.out).toBe('Nothing for slow waits for another attempt.\n');
  const next = new Date(Date.now() + 60_000);
  await api.database.kysely
    .updateTable('delivery')
    .set({ state: 'retrying', attempts: 3, next_attempt_at: next, message: 'It answered 503.' })
    .execute();
  const [slow, log] = await Promise.all([line('slow'), ballast(['channel', 'log', 'slow', '--limit', '1'])]);
  expect(slow).toMatch(/ failing +never +20\S+Z$/);
  expect(log.out).toMatch(/Cluster Oslo lost contact with its agent +retrying +3 +20\S+Z +It answered 503\.\n$/);
  expect((await ballast(['channel', 'retry', 'slow'])).out).toBe('1 message to slow: retried now.\n');
  const disabled = await ballast(['channel', 'set', 'slow', '--disable']);
  expect(disabled).toMatchObject({ code: 0, err: 'Dropped: 1 message to it.\n' });
  const [off, after] = await Promise.all([line('slow'), ballast(['channel', 'log', 'slow', '--json'])]);
  expect(off).toContain(' disabled ');
  expect(JSON.parse(after.out).deliveries).toMatchObject([{ state: 'dropped', attempts: 3 }]);
});

test('at a terminal the secret is asked for and not shown, and a deletion is asked about', async () => {
  await add('going', '--no-test');
  const adding = joined.atTerminal(['channel', 'add', 'typed', '--kind', 'chat'], joined.directory);
  const deleting = joined.atTerminal(['channel', 'delete', 'going'], joined.directory);
  await adding.answer('Address of the webhook: ', `${hook}\r`);
  expect(await adding.ended).toBe(0);
  expect(adding.shown()).toContain('The channel typed is added, and its test has arrived.');
  expect(adding.shown()).not.toContain('hunter2');
  await deleting.answer('Type its name, going, to delete it:', 'y\r');
  expect(await deleting.ended).toBe(4);
});
