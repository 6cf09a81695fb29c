import { command, UsageError } from '../engine/command.ts';
import { agreed, canAsk } from '../engine/question.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { type Channel, channels, kindOf, messagesText, namedChannel } from './channel.ts';

export const channelDelete = command({
  summary: 'Deletes a channel for notifications',
  usage: 'CHANNEL [--yes] [--json]',
  details: `CHANNEL is its label or its id. Tells what is dropped with it, and asks; elsewhere than at a terminal \`--yes\` is the answer. Its
secret is erased.`,
  words: { least: 1, most: 1 },
  options: {
    yes: { type: 'boolean', short: 'y', what: 'Delete it without a question.' },
    ...restOptions,
  },
  run: async ({ yes, ...given }, [name = '']) => {
    const rest = new Rest(given);
    const channel = await namedChannel(rest, name);
    if (yes !== true && !(await agrees(channel))) {
      process.stderr.write('Nothing was deleted.\n');
      process.exitCode = 4;
      return;
    }
    await rest.call('DELETE', `${channels}/${channel.id}`);
    const { id, label } = channel;
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, label } })}\n`);
    else process.stdout.write(`The channel ${printable(label)} is deleted.\n`);
  },
});

async function agrees(channel: Channel): Promise<boolean> {
  const { label, hint, pending } = channel;
  const named = `the channel ${printable(label)} (${kindOf(channel)} ${printable(hint)})`;
  const lost = [
    ...(pending === 0 ? [] : [`dropped on their way: ${messagesText(pending)}`]),
    ...(kindOf(channel) === 'pager' ? ['open incidents stay open at the pager'] : []),
  ];
  const told = lost.map((line) => `\n  ${line}`).join('');
  if (!canAsk()) throw new UsageError(`This deletes ${named}; give --yes to do that.${told}`);
  if (told !== '') process.stderr.write(`With ${named}:${told}\n`);
  return await agreed(`Delete ${printable(label)}?`);
}
