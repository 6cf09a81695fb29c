import { confirmLoss, yesOption } from '../deleted/confirm-loss.ts';
import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { type Channel, channels, kindOf, messagesText, namedChannel } from './channel.ts';

export const channelDelete = command({
  summary: 'Deletes a channel for notifications',
  usage: 'CHANNEL [--yes] [--json]',
  details: `CHANNEL is its label or its id. Tells what is dropped with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. Its
secret is erased.`,
  words: { least: 1, most: 1 },
  options: {
    ...yesOption(),
    ...restOptions,
  },
  run: async ({ yes, ...given }, [name = '']) => {
    const rest = new Rest(given);
    const channel = await namedChannel(rest, name);
    if (yes !== true && !(await agrees(channel))) return;
    await rest.call('DELETE', `${channels}/${channel.id}`);
    const { id, label } = channel;
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, label } })}\n`);
    else process.stdout.write(`The channel ${printable(label)} is deleted.\n`);
  },
});

async function agrees(channel: Channel): Promise<boolean> {
  const { label, hint, pending } = channel;
  const pager = kindOf(channel) === 'pager';
  return await confirmLoss(
    { noun: 'channel', called: `${printable(label)} (${kindOf(channel)} ${printable(hint)})`, name: label },
    [
      [pending, `dropped on their way: ${messagesText(pending)}`],
      [pager ? 1 : 0, 'open incidents stay open at the pager'],
    ],
  );
}
