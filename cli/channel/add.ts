import { command } from '../engine/command.ts';
import { Rest, RestRefusal, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { type Channel, channels, kinds, readEvents, readKind, wordOf } from './channel.ts';
import { readSecret, refuseArgument, secretDetails, secretOption } from './secret.ts';
import { failedTest, type SentTest, sendTest } from './sent-test.ts';

export const channelAdd = command({
  summary: 'Adds a channel for notifications, a chat or a pager, and tests it',
  usage: 'LABEL --kind chat|pager [--events KIND,…] [--secret-file FILE] [--no-test] [--json]',
  details: `${secretDetails}: it comes
from the standard input or from --secret-file, and at a terminal it is asked for. It is stored encrypted and never shown again.
The test is a message to a chat, or a change event to a pager, which pages nobody. If it fails the channel stays, and the exit
code is 1.`,
  words: { least: 1, most: 100 },
  options: {
    kind: { type: 'string', value: 'KIND', what: 'chat or pager.' },
    events: {
      type: 'string',
      value: 'KIND,…',
      what: 'Some of approval, failure, warning, deploy; by default all for a chat, and failure,warning for a pager.',
    },
    'no-test': { type: 'boolean', what: 'Do not test it.' },
    ...secretOption,
    ...restOptions,
  },
  run: async ({ kind: typed, events: wanted, 'secret-file': file, 'no-test': untested, ...given }, words) => {
    refuseArgument(words);
    const kind = readKind(typed);
    const events = readEvents(wanted);
    const rest = new Rest(given);
    const [label = ''] = words;
    const body = { kind: kinds[kind], label, ...(events === undefined ? {} : { events }) };
    const secret = await readSecret(kind, file);
    const channel = await rest.call<Channel>('POST', channels, { ...body, secret });
    const told = untested === true ? { channel } : await tested(rest, channel);
    if (given.json) process.stdout.write(`${JSON.stringify(told, undefined, 2)}\n`);
    else {
      const arrived = 'delivered' in told && told.delivered ? ', and its test has arrived' : '';
      process.stdout.write(`The channel ${printable(channel.label)} is added${arrived}.\n`);
    }
    if ('delivered' in told && !told.delivered) throw failedTest(told.channel);
  },
});

/** A test that nobody can tell the end of does not make the channel unsaid. */
async function tested(rest: Rest, channel: Channel): Promise<SentTest> {
  return await sendTest(rest, channel).catch((error: unknown) => {
    if (!(error instanceof RestRefusal)) throw error;
    throw new RestRefusal(
      `The channel ${printable(channel.label)} is added and not tested: ${error.message} \`./ballast channel test ${wordOf(channel)}\` tests it.`,
    );
  });
}
