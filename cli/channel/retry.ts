import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { channels, messagesText, namedChannel, wordOf } from './channel.ts';

export const channelRetry = command({
  summary: 'Retries at once what could not be delivered to a channel',
  usage: 'CHANNEL [--json]',
  details: 'CHANNEL is its label or its id. The attempts count as any other; what was given up is not sent again.',
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const channel = await namedChannel(rest, name);
    const { retried } = await rest.call<{ retried: number }>('POST', `${channels}/${channel.id}/retry`);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ retried })}\n`);
    if (retried === 0) {
      return void process.stdout.write(`Nothing for ${printable(channel.label)} waits for another attempt.\n`);
    }
    process.stdout.write(`${messagesText(retried)} to ${printable(channel.label)}: retried now.\n`);
    process.stderr.write(`\`./ballast channel log ${wordOf(channel)}\` shows how it went.\n`);
  },
});
