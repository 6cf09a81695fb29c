import { command, UsageError } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { type Channel, channels, kindOf, messagesText, namedChannel, readEvents, wordOf } from './channel.ts';
import { readSecret, refuseArgument, secretDetails, secretOption } from './secret.ts';

export const channelSet = command({
  summary: 'Changes a channel for notifications',
  usage: 'CHANNEL [--label LABEL] [--events KIND,…] [--enable | --disable] [--secret-file FILE] [--json]',
  details: `CHANNEL is its label or its id. Disabling it drops what is on its way, and enabling it does not bring that back. A new secret is
tried at once with all that could not be delivered. ${secretDetails}.`,
  words: { least: 1, most: 100 },
  options: {
    label: { type: 'string', value: 'LABEL', what: 'Its new label.' },
    events: { type: 'string', value: 'KIND,…', what: 'What it gets: some of approval, failure, warning, deploy.' },
    enable: { type: 'boolean', what: 'Send to it.' },
    disable: { type: 'boolean', what: 'Send nothing to it.' },
    ...secretOption,
    ...restOptions,
  },
  run: async ({ label, events: wanted, enable, disable, 'secret-file': file, ...given }, words) => {
    refuseArgument(words, label);
    if (enable && disable) throw new UsageError('--enable goes not with --disable.');
    const events = readEvents(wanted);
    const changes = {
      ...(label === undefined ? {} : { label }),
      ...(events === undefined ? {} : { events }),
      ...(enable || disable ? { enabled: enable === true } : {}),
    };
    if (Object.keys(changes).length === 0 && file === undefined) {
      throw new UsageError('Say what to change: --label, --events, --enable, --disable or --secret-file.');
    }
    const rest = new Rest(given);
    const before = await namedChannel(rest, words[0] ?? '');
    const secret = file === undefined ? {} : { secret: await readSecret(kindOf(before), file) };
    const channel = await rest.call<Channel>('PATCH', `${channels}/${before.id}`, { ...changes, ...secret });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ channel }, undefined, 2)}\n`);
    process.stdout.write(`The channel ${printable(channel.label)} is changed.\n`);
    if (disable && before.pending > 0) process.stderr.write(`Dropped: ${messagesText(before.pending)} to it.\n`);
    if (file !== undefined) process.stderr.write(`\`./ballast channel test ${wordOf(channel)}\` tests it.\n`);
  },
});
