import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { privateAddresses } from '../../test/ground/private-addresses.ts';
import { type ReceiverAnswer, receiver } from '../../test/ground/receiver.ts';
import { attempt } from './attempt.ts';
import { sendChat } from './chat-webhook.ts';
import { sendPagerChange, sendPagerEvent } from './incident-pager.ts';
import type { ChannelMessage } from './message.ts';

const path = '/services/T0001/B0001/hunter2';
const routingKey = 'R0123456789hunter2ABCDEF';
const message: ChannelMessage = {
  title: 'Cluster eu-1 lost contact\nwith its agent',
  body: 'No heartbeat since 08:00.\nCheck the machine.',
  link: 'https://ballast.example/acme/clusters/1',
  kind: 'warning',
};
const there = await receiver();
const pager = { rules: there.rules, pagerUrl: there.settings.NOTIFICATION_PAGER_URL };
beforeEach(() => {
  there.reset();
});
afterAll(() => there.close());

const chat = () => sendChat(there.url(path), message, there.rules);
const event = () => sendPagerEvent(routingKey, { action: 'resolve', dedupKey: 'cluster/1' }, pager);
const change = () => sendPagerChange(routingKey, message, pager);
const kinds = [
  ['chat', chat],
  ['event', event],
  ['change', change],
] as const;
const host = () => `127.0.0.1:${there.port}`;

describe.each(kinds)('%s', (_, send) => {
  test.each([200, 201, 202, 204])('%i: delivered', async (status) => {
    there.answers({ status, body: status === 204 ? '' : 'ok' });
    expect(await send()).toEqual({ outcome: 'delivered' });
    expect(there.requests).toHaveLength(1);
  });

  test.each([408, 429, 500, 502, 503, 504, 599])('%i: tried again', async (status) => {
    there.answers(status);
    expect(await send()).toEqual({ outcome: 'retry', error: `${host()} answered ${status}.` });
  });

  test.each([301, 302, 303, 307, 308])('%i: a redirect is a failure, and not followed', async (status) => {
    there.answers({ status, headers: { location: there.url('/elsewhere') } });
    const error = `${host()} answered with a redirect (${status}), which is not followed.`;
    expect(await send()).toEqual({ outcome: 'retry', error });
    expect(there.requests).toHaveLength(1);
  });

  test.each([400, 401, 402, 403, 404, 405, 409, 410, 413, 422, 499])('%i: ended', async (status) => {
    there.answers({ status, headers: { 'retry-after': '5' } });
    const error = `${host()} answered ${status}, which ends the delivery; check the channel's secret.`;
    expect(await send()).toEqual({ outcome: 'ended', error });
  });

  test.each([408, 429, 503, 302])('%i with Retry-After says when', async (status) => {
    there.answers({ status, headers: { 'retry-after': '90' } }, { status, headers: { 'retry-after': 'soon' } });
    expect(await send()).toMatchObject({ outcome: 'retry', retryAfterSeconds: 90 });
    expect(await send()).not.toHaveProperty('retryAfterSeconds');
  });

  test('a connection that is cut or refused: tried again', async () => {
    there.answers('cut');
    expect(await send()).toEqual({ outcome: 'retry', error: `${host()} could not be reached: ECONNRESET.` });
  });
});

test('a long answer with 200 is delivered', async () => {
  there.answers({ status: 200, body: 'x'.repeat(1_000_000) });
  expect(await chat()).toEqual({ outcome: 'delivered' });
});

test('silence is tried again', async () => {
  there.answers('hang');
  const silent = await attempt(there.url(path), {}, { rules: there.rules, timeoutMillis: 300 });
  expect(silent).toEqual({ outcome: 'retry', error: `${host()} did not answer within 0.3 s.` });
});

describe('a private address is refused on every delivery, and tried again', () => {
  test.each(privateAddresses)('https://%s/', async (address) => {
    const refused = {
      outcome: 'retry',
      error: expect.stringMatching(/^\S+ is a private address; .*OUTBOUND_ALLOWED_RANGES\.$/),
    };
    expect(await sendChat(`https://${address}${path}`, message, { allowedRanges: [] })).toEqual(refused);
    const elsewhere = { rules: { allowedRanges: [] }, pagerUrl: `https://${address}` };
    expect(await sendPagerChange(routingKey, message, elsewhere)).toEqual(refused);
  });

  test('by its name, and only until it is public or allowed', async () => {
    let address = '10.0.0.1';
    const resolve = async () => [{ address, family: 4 }];
    const rules = { ...there.rules, allowedRanges: ['127.0.0.1/32'] };
    const sent = () => sendChat(`https://localhost:${there.port}${path}`, message, rules, resolve);
    expect(await sent()).toMatchObject({
      outcome: 'retry',
      error: expect.stringMatching(/^localhost is a private address/),
    });
    address = '127.0.0.1';
    expect(await sent()).toEqual({ outcome: 'delivered' });
  });
});

test('no answer tells the path, the routing key or anything that the other side wrote', async () => {
  const body = `invalid_token ${path} ${routingKey} <script>`;
  const headers = { location: there.url(path), 'x-reason': routingKey, 'retry-after': routingKey };
  const told: unknown[] = [];
  for (const status of [302, 400, 404, 429, 500]) {
    const answer: ReceiverAnswer = { status, headers, body };
    there.answers(answer, answer, answer);
    for (const [, send] of kinds) told.push(await send());
  }
  there.answers('cut');
  told.push(await chat(), await sendChat(`https://[${path}`, message, there.rules));
  told.push(await sendChat(there.url(path), message, { allowedRanges: ['127.0.0.0/8'] }));
  told.push(await sendChat(there.url(path), message, { ...there.rules, certificateAuthorities: `${path}` }));
  const resolve = async () => {
    throw new Error(`cannot look up ${there.url(path)}`);
  };
  told.push(await sendChat(`https://localhost${path}`, message, there.rules, resolve));
  expect(told).toHaveLength(20);
  expect(JSON.stringify(told)).not.toMatch(/hunter2|T0001|invalid_token|script/);
});
