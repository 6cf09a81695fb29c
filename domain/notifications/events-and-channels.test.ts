import { expect, test } from 'vitest';
import {
  channelKinds,
  defaultEvents,
  goesNowhere,
  type NotificationKind,
  type NotifiedEvent,
  notificationKinds,
  notifiedEvents,
  reachOf,
  type Subscribed,
} from './notifications.ts';

const chat = (...events: NotificationKind[]): Subscribed => ({ kind: 'chat_webhook', events, enabled: true });
const pager = (...events: NotificationKind[]): Subscribed => ({ kind: 'incident_pager', events, enabled: true });

const reached = (channel: Subscribed) =>
  notifiedEvents.map((event: NotifiedEvent) => reachOf(event, channel)).map((reach) => reach.replace('nothing', ''));

test('a chat of every kind gets failures of production only, and neither agent updates nor reconnects', () => {
  expect(reached(chat(...notificationKinds))).toEqual([
    'message',
    'message',
    'message',
    'message of production',
    'message',
    'message of production',
    'message',
    'message',
    '',
    '',
    'message',
  ]);
});

test('a pager has an incident of a failed production deployment and of a lost cluster, and nothing else', () => {
  const standard = ['', '', '', 'opens for production', 'resolves', '', '', 'opens', 'resolves', '', ''];
  expect(reached(pager('failure', 'warning'))).toEqual(standard);
  // Approvals and deployments page nobody.
  expect(reached(pager(...notificationKinds))).toEqual(standard);
  expect(reached(pager('approval', 'deploy'))).toEqual(Array.from({ length: 11 }, () => ''));
});

test('an incident is resolved where it was opened, whether the channel has subscribed to the good news or not', () => {
  expect(reached(pager('failure'))).toEqual(['', '', '', 'opens for production', 'resolves', '', '', '', '', '', '']);
  expect(reached(pager('warning'))).toEqual(['', '', '', '', '', '', '', 'opens', 'resolves', '', '']);
});

test('a channel that is disabled gets nothing', () => {
  expect(new Set(reached({ ...chat(...notificationKinds), enabled: false }))).toEqual(new Set(['']));
});

test('an event goes nowhere if a channel could tell of it and none does', () => {
  const nowhere = (...channels: Subscribed[]) =>
    notifiedEvents.filter((event: NotifiedEvent) => goesNowhere(event, channels)).map(({ name }) => name);
  expect(nowhere(chat(...notificationKinds))).toEqual([]);
  expect(nowhere(pager('failure', 'warning'))).toEqual([
    'An approval is requested',
    'An approval is passed by break-glass',
    'A guard of production is loosened',
    'A build fails, or builds but cannot deploy',
    'A volume backup fails',
    'A public domain certificate expires within 14 days',
  ]);
  expect(nowhere()).not.toContain('An agent update becomes available');
  expect(nowhere()).not.toContain('A cluster reconnects');
});

test('a new channel has the kinds that it does something with', () => {
  for (const kind of channelKinds) {
    const used = notifiedEvents.filter((event: NotifiedEvent) =>
      kind === 'incident_pager' ? event.pager === 'opens' : event.chat !== 'no',
    );
    expect([...new Set(used.map((event) => event.kind))].toSorted()).toEqual(defaultEvents[kind].toSorted());
  }
});

test('a chat hears of a broken glass by its approvals or by its failures, and of other approvals by approvals alone', () => {
  const named = (channel: Subscribed) =>
    notifiedEvents
      .filter((event: NotifiedEvent) => reachOf(event, channel) === 'message')
      .map(({ name }) => name)
      .filter((name) => name.includes('approval'));
  expect(named(chat('approval'))).toEqual(['An approval is requested', 'An approval is passed by break-glass']);
  expect(named(chat('failure'))).toEqual(['An approval is passed by break-glass']);
  expect(named(chat('warning', 'deploy'))).toEqual([]);
});
