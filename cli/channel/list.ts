import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { type Channel, kindOf, listChannels, stateOf } from './channel.ts';

export const channelList = command({
  summary: 'Lists the channels that notifications go to',
  usage: '[--json]',
  details: 'The hint is the part of the secret that is none: the host of a webhook, the end of a routing key.',
  options: restOptions,
  run: async (given) => {
    const channels = await listChannels(new Rest(given));
    if (given.json) return void process.stdout.write(`${JSON.stringify({ channels }, undefined, 2)}\n`);
    if (channels.length === 0) {
      return void process.stdout.write('There is no notification channel yet; see `./ballast channel add --help`.\n');
    }
    const titles = ['label', 'kind', 'hint', 'events', 'state', 'last delivered', 'next attempt', ''];
    process.stdout.write(asTable(titles, channels.map(row)));
  },
});

function row(channel: Channel): string[] {
  const { label, hint, events, enabled, lastDeliveredAt, nextAttemptAt, lastError } = channel;
  return [
    ...[printable(label), kindOf(channel), printable(hint), events.join(','), stateOf(channel)],
    ...[lastDeliveredAt ?? 'never', nextAttemptAt ?? '-', enabled ? printable(lastError) : ''],
  ];
}
