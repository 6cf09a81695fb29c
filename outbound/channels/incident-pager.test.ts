import { afterAll, beforeEach, expect, test } from 'vitest';
import { receiver } from '../../test/ground/receiver.ts';
import { sendChat } from './chat-webhook.ts';
import { type PagerEvent, sendPagerChange, sendPagerEvent } from './incident-pager.ts';
import type { ChannelMessage } from './message.ts';

const routingKey = 'R0123456789ABCDEFGHIJ';
const message: ChannelMessage = {
  title: 'Release #7 of web failed to deploy to production',
  body: 'The process web exited with code 1.\n<b>&</b>',
  link: 'https://ballast.example/acme/d/7',
  kind: 'failure',
};
const trigger = (more: Partial<ChannelMessage> = {}): PagerEvent => ({
  action: 'trigger',
  dedupKey: 'service/1/environment/2',
  message: { ...message, ...more },
  severity: 'error',
  source: 'web in production',
});
const there = await receiver();
const pager = { rules: there.rules, pagerUrl: there.url() };
beforeEach(() => {
  there.reset();
  there.otherwise({ status: 202, body: '{"status":"success"}' });
});
afterAll(() => there.close());

const sent = () => there.requests.map(({ method, path, body }) => [method, path, body]);

test('a trigger opens an incident with what happened, where, and the link', async () => {
  expect(await sendPagerEvent(routingKey, trigger(), pager)).toEqual({ outcome: 'delivered' });
  const body = {
    routing_key: routingKey,
    event_action: 'trigger',
    dedup_key: 'service/1/environment/2',
    payload: {
      summary: message.title,
      source: 'web in production',
      severity: 'error',
      custom_details: { body: message.body },
    },
    links: [{ href: message.link, text: 'Open in Ballast' }],
    client: 'Ballast',
  };
  expect(sent()).toEqual([['POST', '/v2/enqueue', body]]);
});

test('a resolve carries the keys that tie it to its incident, and nothing else', async () => {
  const resolve: PagerEvent = { action: 'resolve', dedupKey: 'service/1/environment/2' };
  expect(await sendPagerEvent(routingKey, resolve, pager)).toEqual({ outcome: 'delivered' });
  const body = { routing_key: routingKey, event_action: 'resolve', dedup_key: 'service/1/environment/2' };
  expect(sent()).toEqual([['POST', '/v2/enqueue', body]]);
});

test('a change is no incident: it has no action, no key of one and no severity', async () => {
  expect(await sendPagerChange(routingKey, message, pager)).toEqual({ outcome: 'delivered' });
  const body = {
    routing_key: routingKey,
    payload: { summary: message.title, source: 'ballast.example', custom_details: { body: message.body } },
    links: [{ href: message.link, text: 'Open in Ballast' }],
  };
  expect(sent()).toEqual([['POST', '/v2/change/enqueue', body]]);
});

test('a summary is one line of at most 1,024 characters, whole ones, with an ellipsis if it was cut', async () => {
  const titles = ['🚢'.repeat(1024), '🚢'.repeat(1025), 'two\nlines'];
  for (const title of titles) await sendPagerEvent(routingKey, trigger({ title }), pager);
  await sendPagerChange(routingKey, { ...message, title: 'x'.repeat(2000) }, pager);
  const summaries = there.requests.map(({ body }) => (body as { payload: { summary: string } }).payload.summary);
  expect(summaries).toEqual([titles[0], `${'🚢'.repeat(1023)}…`, 'two lines', `${'x'.repeat(1023)}…`]);
});

test('a chat is sent one text', async () => {
  expect(await sendChat(there.url('/services/x'), { ...message, body: 'Why.' }, there.rules)).toEqual({
    outcome: 'delivered',
  });
  const text = `*${message.title}*\nWhy.\n<${message.link}|Open in Ballast>`;
  expect(sent()).toEqual([['POST', '/services/x', { text }]]);
});
