import { channels, messagesText, namedChannel, wordOf } from './channel.ts';
import { command } from './engine/command.ts';
import { wholeNumberOf } from './engine/given.ts';
import { listed } from './engine/outcome.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { said } from './engine/table.ts';

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
  options: {
    limit: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...restOptions,
  },
  run: async ({ limit, ...given }, [name = '']) => {
    const most = wholeNumberOf('--limit', limit, 1, 10_000) ?? 50;
    const rest = new Rest(given);
    const channel = await namedChannel(rest, name);
    const deliveries = await rest.all<Delivery>(`${channels}/${channel.id}/deliveries`, most);
    return listed({ deliveries }, said`Nothing was sent to ${channel.label} in the last 30 days.`, {
      at: 'createdAt',
      id: 'id',
      title: 'title',
      state: 'state',
      attempts: 'attempts',
      'next attempt': ({ nextAttemptAt }) => nextAttemptAt ?? '-',
      '': 'lastError',
    });
  },
});

export const channelRetry = command({
  summary: 'Retries at once what could not be delivered to a channel',
  usage: 'CHANNEL [--json]',
  details: 'CHANNEL is its label or its id. The attempts count as any other; what was given up is not sent again.',
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const channel = await namedChannel(rest, name);
    const { retried } = await rest.call<{ retried: number }>('POST', `${channels}/${channel.id}/retry`);
    if (retried === 0)
      return { jsonLine: { retried }, text: said`Nothing for ${channel.label} waits for another attempt.` };
    return {
      jsonLine: { retried },
      text: said`${messagesText(retried)} to ${channel.label}: retried now.`,
      below: `\`./ballast channel log ${wordOf(channel)}\` shows how it went.`,
    };
  },
});
