import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { notify } from '../../db/notifications/notify.ts';
import type { Organization } from '../../test/api/client.ts';
import { privateAddresses } from '../../test/ground/private-addresses.ts';
import { receiver } from '../../test/ground/receiver.ts';
import { runningApi } from '../../test/installation/running-api.ts';

let ours: Organization;
const other = await receiver();
const api = await runningApi({ env: other.settings });
const strict = await runningApi({ env: { NOTIFICATION_CHANNELS_PER_ORGANIZATION: '1' } });
beforeEach(async () => {
  ours = await api.organization();
});
afterEach(() => other.otherwise({ status: 200, body: 'ok' }));
afterAll(async () => {
  await api.close();
  await strict.close();
  await other.close();
});

const url = '/api/v1/notification-channels';
const routingKey = 'a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4';
const chat = () => ({ kind: 'chat_webhook', label: 'Operations', secret: other.url('/services/s3cret') });
const pager = { kind: 'incident_pager', label: 'On call', secret: routingKey };
const as = () => ours.tokens.admin;
const create = (body: object, whose = ours) => api.call('POST', url, { as: whose.tokens.admin, body });
const update = (id: unknown, body: object) => api.call('PATCH', `${url}/${id}`, { as: as(), body });
const list = async () => (await api.call('GET', url, { as: as() })).body.items as Record<string, unknown>[];
const sendTest = (id: unknown) => api.call('POST', `${url}/${id}/test`, { as: as() });
const channelOf = ({ body }: { body: Record<string, unknown> }) => body.channel as Record<string, unknown>;

test('201 with the channel, its defaults by its kind, and of its secret no more than a hint', async () => {
  const made = await create(chat());
  expect(made.status, made.text).toBe(201);
  const { $schema, ...channel } = made.body;
  expect(channel).toEqual({
    ...{ id: expect.any(String), kind: 'chat_webhook', label: 'Operations', hint: new URL(other.url()).host },
    ...{
      events: ['approval', 'failure', 'warning', 'deploy'],
      enabled: true,
      failing: false,
      lastError: '',
      pending: 0,
    },
    createdAt: expect.any(String),
  });
  const paging = await create(pager);
  expect(paging.body).toMatchObject({ events: ['failure', 'warning'], hint: `…${routingKey.slice(-4)}` });
  expect(await list()).toEqual([channel, { ...paging.body, $schema: undefined }]);
  const { body: log } = await as().get('/audit-log');
  const everything = JSON.stringify([made, paging, await list(), log, api.lines]);
  expect(everything).not.toContain('s3cret');
  expect(everything).not.toContain(routingKey);
});

describe('422 at body.secret, without its value, for', () => {
  test('what is no secret of its kind', async () => {
    for (const [what, body, why] of [
      ['plain http', { secret: 'http://hooks.example.com/a' }, 'https://'],
      ['no address', { secret: 'hooks.example.com/a' }, 'https://'],
      ['a relative address', { secret: '/a' }, 'https://'],
      ['a user name', { secret: 'https://ada@hooks.example.com/a' }, 'user name'],
      ['a password', { secret: 'https://ada:b@hooks.example.com/a' }, 'user name'],
      ['nothing', { secret: '' }, 'https://'],
      ['a routing key that is too short', { ...pager, secret: 'a'.repeat(19) }, '20 to 64'],
      ['one that is too long', { ...pager, secret: 'a'.repeat(65) }, '20 to 64'],
      ['one with other characters', { ...pager, secret: `${'a'.repeat(20)}-` }, '20 to 64'],
    ] as const) {
      const refused = await create({ ...chat(), ...body });
      expect(refused.status, what).toBe(422);
      const [error] = refused.body.errors as { location: string; message: string; value?: unknown }[];
      expect(error, what).toEqual({ location: 'body.secret', message: expect.stringContaining(why) });
    }
  });

  // Which addresses are private is the rule of the outbound requests.
  test.each(privateAddresses.slice(0, 2))('the private address %s', async (address) => {
    const owner = await strict.organization();
    const refused = await strict.call('POST', url, {
      as: owner.tokens.admin,
      body: { ...chat(), secret: `https://${address}/hook` },
    });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [{ location: 'body.secret', message: expect.stringContaining('cannot be') }],
    ]);
  });
});

test('422 for what is no channel', async () => {
  for (const [what, body, location] of [
    ['a kind that there is not', { kind: 'smoke' }, 'body.kind'],
    ['no label', { label: ' ' }, 'body.label'],
    ['no events', { events: [] }, 'body.events'],
    ['events that there are not', { events: ['failure', 'party'] }, 'body.events[1]'],
  ] as const) {
    const refused = await create({ ...chat(), ...body });
    expect([refused.status, refused.body.errors], what).toEqual([422, [expect.objectContaining({ location })]]);
  }
});

test('PATCH changes what is named; a blank secret keeps the one that is there', async () => {
  const { body } = await create(chat());
  const changed = await update(body.id, { label: 'Night', events: ['warning', 'failure', 'failure'], secret: '' });
  expect(changed.body).toMatchObject({ label: 'Night', events: ['failure', 'warning'], hint: body.hint });
  expect((await sendTest(body.id)).body.delivered).toBe(true);
  expect(other.requests.at(-1)?.path).toBe('/services/s3cret');
  await update(body.id, { secret: other.url('/services/new') });
  await sendTest(body.id);
  expect(other.requests.at(-1)?.path).toBe('/services/new');
  expect((await update(body.id, { kind: 'incident_pager' })).status).toBe(422);
});

test('a test sends a message to a chat, and to a pager a change event', async () => {
  const { body: channel } = await create(chat());
  const tested = await sendTest(channel.id);
  expect(tested.status, tested.text).toBe(200);
  expect(tested.body).toMatchObject({
    delivered: true,
    channel: { lastError: '', lastDeliveredAt: expect.any(String) },
  });
  expect(other.requests.at(-1)?.body).toMatchObject({
    text: expect.stringContaining('*Test of the channel Operations*'),
  });
  const { body: paging } = await create(pager);
  other.otherwise(202);
  expect((await sendTest(paging.id)).body.delivered).toBe(true);
  expect(other.requests.at(-1)).toMatchObject({
    path: '/v2/change/enqueue',
    body: { routing_key: routingKey, payload: { summary: expect.stringContaining('Test of the channel On call') } },
  });
});

test('a test that does not arrive says why, and is not retried; a new secret clears that', async () => {
  const { body: channel } = await create(chat());
  other.otherwise(404);
  const tested = await sendTest(channel.id);
  expect([tested.status, tested.body.delivered]).toEqual([200, false]);
  expect(channelOf(tested)).toMatchObject({
    lastError: expect.stringContaining('answered 404'),
    pending: 0,
    failing: false,
  });
  expect((await update(channel.id, { secret: other.url('/services/other') })).body).toMatchObject({ lastError: '' });
});

test('deliveries are listed newest first, with what waits', async () => {
  const { body: channel } = await create(chat());
  for (const title of ['first', 'second', 'third']) {
    await api.effect((telling) =>
      notify(telling, {
        ...{ organizationId: ours.organizationId, occasion: title, to: {}, channels: { chat: true } },
        message: { kind: 'failure', title, body: '', link: { type: 'cluster' } },
      }),
    );
  }
  const page = async (query: string) =>
    (await api.call('GET', `${url}/${channel.id}/deliveries${query}`, { as: as() })).body as {
      items: { title: string }[];
      nextCursor?: string;
    };
  const first = await page('?limit=2');
  const second = await page(`?limit=2&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
  const titles = [...first.items, ...second.items].map(({ title }) => title);
  expect(titles).toEqual(['third', 'second', 'first']);
  expect(first.items[0]).toMatchObject({
    kind: 'message',
    state: 'sending',
    attempts: 0,
    workflowId: expect.any(String),
  });
  expect(await list()).toMatchObject([{ pending: 3 }]);
});

test('204 for DELETE, then 404, and it is in no list', async () => {
  const { body } = await create(chat());
  expect((await api.call('DELETE', `${url}/${body.id}`, { as: as() })).status).toBe(204);
  expect((await api.call('DELETE', `${url}/${body.id}`, { as: as() })).status).toBe(404);
  expect((await sendTest(body.id)).status).toBe(404);
  expect(await list()).toEqual([]);
});

test('404 for a channel of another organization, 403 below admin', async () => {
  const { body } = await create(chat());
  const theirs = await api.organization();
  for (const [method, path] of [
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/retry'],
    ['GET', '/deliveries'],
  ] as const) {
    const call = (who: Organization['tokens'][keyof Organization['tokens']]) =>
      api.call(method, `${url}/${body.id}${path}`, { as: who, ...(method === 'PATCH' ? { body: {} } : {}) });
    expect((await call(theirs.tokens.admin)).status).toBe(404);
    expect((await call(ours.tokens.deployer)).status).toBe(403);
  }
});

test('viewers see channels, without what was sent to them, and change nothing', async () => {
  const { body } = await create(chat());
  for (const who of [ours.tokens.viewer, ours.tokens.deployer]) {
    const seen = await api.call('GET', url, { as: who });
    expect([seen.status, seen.body.items]).toEqual([200, await list()]);
    expect((await api.call('POST', url, { as: who, body: chat() })).status).toBe(403);
    expect((await api.call('DELETE', `${url}/${body.id}`, { as: who })).status).toBe(403);
    expect((await api.call('GET', `${url}/${body.id}/deliveries`, { as: who })).status).toBe(403);
  }
});

test('409 beyond the quota of channels', async () => {
  const few = await strict.organization();
  const make = () => strict.call('POST', url, { as: few.tokens.admin, body: pager });
  const { body } = await make();
  expect((await make()).status).toBe(409);
  await strict.call('DELETE', `${url}/${body.id}`, { as: few.tokens.admin });
  expect((await make()).status).toBe(201);
});
