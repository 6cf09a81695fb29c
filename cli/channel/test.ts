import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { namedChannel } from './channel.ts';
import { failedTest, sendTest } from './sent-test.ts';

export const channelTest = command({
  summary: 'Tests a channel for notifications, and says whether the test has arrived',
  usage: 'CHANNEL [--json]',
  details: `CHANNEL is its label or its id. Sends a message to a chat, or a change event to a pager, which pages nobody: one attempt, which
is not retried. The exit code is 1 when it fails.`,
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const told = await sendTest(rest, await namedChannel(rest, name));
    if (given.json) process.stdout.write(`${JSON.stringify(told, undefined, 2)}\n`);
    else if (told.delivered) process.stdout.write(`The test of ${printable(told.channel.label)} has arrived.\n`);
    if (!told.delivered) throw failedTest(told.channel);
  },
});
