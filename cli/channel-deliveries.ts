import { channels, messagesText, namedChannel, wordOf } from './channel.ts';
import { command } from './engine/command.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { asTable, printable } from './engine/table.ts';
import { wholeNumberOf } from './engine/whole-number-of.ts';

/** As much of one as is shown here. */
interface Delivery {
  id: string;
  title: string;
  state: string;
  attempts: number;
  lastError: string;
  nextAttemptAt?: string;
  createdAt: string;
}

export const channelLog = command({
  summary: 'Lists what was sent to a channel, newest first',
  usage: 'CHANNEL [--limit N] [--json]',
  details: `CHANNEL is its label or its id. Messages to a chat and incidents of a pager, of the last 30 days, those on their way among them.
\`./ballast workflow history ID\` tells the attempts of one.`,
  words: { least: 1, most: 1 },
  options: {
    limit: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...restOptions,
  },
  run: async ({ limit, ...given }, [name = '']) => {
    const most = wholeNumberOf('--limit', limit, 1, 10_000) ?? 50;
    const rest = new Rest(given);
    const channel = await namedChannel(rest, name);
    const deliveries = await rest.all<Delivery>(`${channels}/${channel.id}/deliveries`, most);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ deliveries }, undefined, 2)}\n`);
    if (deliveries.length === 0) {
      return void process.stdout.write(`Nothing was sent to ${printable(channel.label)} in the last 30 days.\n`);
    }
    const titles = ['at', 'id', 'title', 'state', 'attempts', 'next attempt', ''];
    process.stdout.write(asTable(titles, deliveries.map(row)));
  },
});

function row({ id, title, state, attempts, createdAt, nextAttemptAt, lastError }: Delivery): string[] {
  return [createdAt, id, printable(title), state, String(attempts), nextAttemptAt ?? '-', printable(lastError)];
}

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
