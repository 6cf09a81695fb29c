import { expect, test } from 'vitest';
import { receiver } from '../../test/ground/receiver.ts';
import { sendChat } from './chat-webhook.ts';
import { sendPagerChange, sendPagerEvent } from './incident-pager.ts';
import type { ChannelMessage } from './message.ts';

const message: ChannelMessage = {
  title: 'Cluster eu-1 lost contact',
  body: 'No heartbeat since 08:00.',
  link: 'https://ballast.example/acme/clusters/1',
  kind: 'warning',
};

test('each attempt lasts ten seconds at most', async () => {
  const there = await receiver();
  try {
    const pager = { rules: there.rules, pagerUrl: there.settings.NOTIFICATION_PAGER_URL };
    const routingKey = 'R0123456789hunter2ABCDEF';
    there.answers('hang', 'hang', 'hang');
    const error = `127.0.0.1:${there.port} did not answer within 10 s.`;
    const answers = await Promise.all([
      sendChat(there.url('/services/T0001/B0001/hunter2'), message, there.rules),
      sendPagerEvent(routingKey, { action: 'resolve', dedupKey: 'cluster/1' }, pager),
      sendPagerChange(routingKey, message, pager),
    ]);
    expect(answers).toEqual(Array(3).fill({ outcome: 'retry', error }));
  } finally {
    await there.close();
  }
});
