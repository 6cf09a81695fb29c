import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { notificationChannelSchema } from '../api/notification-channels/notification-channel.ts';
import { defined } from '../domain/defined.ts';
import type { ChannelKind } from '../domain/notifications/notifications.ts';
import { notificationKinds } from '../domain/notifications/notifications.ts';
import { errorCode, Refusal } from '../runtime/supervisor/refusal.ts';
import { deletion, yesOption } from './deleted.ts';
import { command, type Option, UsageError } from './engine/command.ts';
import { foundBy, secretOf } from './engine/given.ts';
import { listed } from './engine/outcome.ts';
import { Rest, RestRefusal, restOptions } from './engine/rest.ts';
import { said } from './engine/table.ts';

type Channel = z.output<typeof notificationChannelSchema>;

export const channels = '/notification-channels';

/** The kinds as people type them. */
const kinds = { chat: 'chat_webhook', pager: 'incident_pager' } as const satisfies Record<string, ChannelKind>;
type Kind = keyof typeof kinds;

function kindOf({ kind }: Channel): Kind {
  return kind === kinds.pager ? 'pager' : 'chat';
}

function readKind(text: string | undefined): Kind {
  const found = (Object.keys(kinds) as Kind[]).find((kind) => kind === text);
  if (found !== undefined) return found;
  throw new UsageError(`--kind must be one of ${Object.keys(kinds).join(', ')}.`);
}

function readEvents(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const events = text.split(',').map((event) => event.trim());
  const unknown = events.find((event) => !notificationKinds.some((kind) => kind === event));
  if (unknown === undefined) return events;
  throw new UsageError(
    said`--events has "${unknown}": it must be some of ${notificationKinds.join(', ')}, with commas between them.`,
  );
}

async function listChannels(rest: Rest): Promise<Channel[]> {
  return (await rest.call<{ items: Channel[] }>('GET', channels)).items;
}

/** The channel of this id or this label. Never guessed: a message would go to somebody else. */
export async function namedChannel(rest: Rest, name: string): Promise<Channel> {
  const all = await listChannels(rest);
  const byId = all.find(({ id }) => id === name.toLowerCase());
  if (byId !== undefined) return byId;
  const called = all.filter(({ label }) => label === name);
  const labels = all.map(({ label }) => label);
  const found = foundBy(name, 'notification channel', called[0], labels);
  if (called.length === 1) return found;
  const lines = called.map((channel) => said`\n  ${channel.id}  ${kindOf(channel)} ${channel.hint}`);
  throw new UsageError(said`Several notification channels are called "${name}"; name one by its id:` + lines.join(''));
}

/** Whether messages arrive: by the last attempt, and by those that wait for their next one. */
function stateOf({ enabled, failing, lastError, lastDeliveredAt }: Channel): string {
  if (!enabled) return 'disabled';
  if (failing || lastError !== '') return 'failing';
  return lastDeliveredAt === undefined ? 'not tested yet' : 'working';
}

/** The word that names this channel in a command that somebody is told to type. */
export function wordOf({ id, label }: Channel): string {
  return /^[\w.][\w.-]*$/.test(label) ? label : id;
}

export function messagesText(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}

const names: Readonly<Record<Kind, string>> = { chat: 'Address of the webhook', pager: 'Routing key of the pager' };

const secretOption = {
  'secret-file': { type: 'string', value: 'FILE', what: 'File with its secret; - is the standard input.' },
} as const satisfies Record<string, Option>;

const secretDetails = `The secret is the address of the chat's incoming webhook, or the routing key of the pager. It is never an argument, which the
history of a shell would keep`;

/** The secret in this file, or of the standard input; at a terminal it is asked for. */
async function readSecret(kind: Kind, file = '-'): Promise<string> {
  const secret = (file === '-' ? await secretOf(`${names[kind]}: `) : ofFile(file)).trim();
  if (secret !== '') return secret;
  throw new UsageError(
    file === '-'
      ? 'There is no secret: give it by the standard input or by --secret-file.'
      : said`The secret file ${file} is empty.`,
  );
}

/** Refuses what may be a secret that was typed as an argument, and does not repeat it. */
function refuseArgument(words: readonly string[], label = ''): void {
  if (words.length < 2 && ![...words, label].some((word) => isAddress(word))) return;
  throw new UsageError(
    'A secret is no argument: give it by the standard input or by --secret-file, and replace one that was typed here.',
  );
}

function isAddress(word: string): boolean {
  return /^https?:/i.test(word);
}

function ofFile(file: string): string {
  if (isAddress(file)) throw new UsageError('--secret-file takes the name of a file; the secret goes into it.');
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refusal(
      said`The secret file ${file} cannot be read (${errorCode(error)}); give --secret-file another one.`,
    );
  }
}

interface SentTest {
  channel: Channel;
  delivered: boolean;
}

/** One attempt, whose end is known when this answers. */
async function sendTest(rest: Rest, { id }: Channel): Promise<SentTest> {
  const { channel, delivered } = await rest.call<SentTest>('POST', `${channels}/${id}/test`);
  return { channel, delivered };
}

/** The failure of a test message, with its remedy; nothing if it has arrived. */
function failedTest({ delivered, channel }: SentTest): RestRefusal | undefined {
  if (delivered) return undefined;
  const word = wordOf(channel);
  const why = channel.lastError.replace(/([^.])$/, '$1.');
  return new RestRefusal(
    said`The test of ${channel.label} failed: ${why} \`./ballast channel set ${word} --secret-file FILE\` gives it another secret, \`./ballast channel test ${word}\` tests it again.`,
  );
}

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
    const secret = await readSecret(kind, file);
    const channel = await rest.call<Channel>('POST', channels, defined({ kind: kinds[kind], label, events, secret }));
    const sent = untested === true ? undefined : await tested(rest, channel);
    const arrived = sent?.delivered === true ? ', and its test has arrived' : '';
    return {
      json: sent ?? { channel },
      text: said`The channel ${channel.label} is added${arrived}.`,
      failure: sent && failedTest(sent),
    };
  },
});

/** A test that nobody can tell the end of does not make the channel unsaid. */
async function tested(rest: Rest, channel: Channel): Promise<SentTest> {
  return await sendTest(rest, channel).catch((error: unknown) => {
    if (!(error instanceof RestRefusal)) throw error;
    throw new RestRefusal(
      said`The channel ${channel.label} is added and not tested: ${error.message} \`./ballast channel test ${wordOf(channel)}\` tests it.`,
    );
  });
}

export const channelDelete = command({
  summary: 'Deletes a channel for notifications',
  usage: 'CHANNEL [--yes] [--json]',
  details: `CHANNEL is its label or its id. Tells what is dropped with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. Its
secret is erased.`,
  options: { ...yesOption(), ...restOptions },
  run: async ({ yes, ...given }, [name = '']) => {
    const rest = new Rest(given);
    const channel = await namedChannel(rest, name);
    const { id, label, hint, pending } = channel;
    const kind = kindOf(channel);
    return await deletion(rest, {
      ...{ noun: 'channel', called: `${label} (${kind} ${hint})`, name: label },
      ...{ path: `${channels}/${id}`, yes, deleted: { id, label } },
      lost: () => [
        [pending, `dropped on their way: ${messagesText(pending)}`],
        [kind === 'pager' ? 1 : 0, 'open incidents stay open at the pager'],
      ],
    });
  },
});

export const channelList = command({
  summary: 'Lists the channels that notifications go to',
  usage: '[--json]',
  details: 'The hint is the part of the secret that is none: the host of a webhook, the end of a routing key.',
  options: restOptions,
  run: async (given) => {
    const channels = await listChannels(new Rest(given));
    return listed({ channels }, 'There is no notification channel yet; see `./ballast channel add --help`.', {
      label: 'label',
      kind: kindOf,
      hint: 'hint',
      events: ({ events }) => events.join(','),
      state: stateOf,
      'last delivered': ({ lastDeliveredAt }) => lastDeliveredAt ?? 'never',
      'next attempt': ({ nextAttemptAt }) => nextAttemptAt ?? '-',
      '': ({ enabled, lastError }) => (enabled ? lastError : ''),
    });
  },
});

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
    const changes = defined({ label, events, enabled: enable || disable ? enable === true : undefined });
    if (Object.keys(changes).length === 0 && file === undefined) {
      throw new UsageError('Say what to change: --label, --events, --enable, --disable or --secret-file.');
    }
    const rest = new Rest(given);
    const before = await namedChannel(rest, words[0] ?? '');
    const secret = file === undefined ? {} : { secret: await readSecret(kindOf(before), file) };
    const channel = await rest.call<Channel>('PATCH', `${channels}/${before.id}`, { ...changes, ...secret });
    const below = [
      disable && before.pending > 0 ? `Dropped: ${messagesText(before.pending)} to it.` : '',
      file === undefined ? '' : `\`./ballast channel test ${wordOf(channel)}\` tests it.`,
    ];
    return { json: { channel }, text: said`The channel ${channel.label} is changed.`, below };
  },
});

export const channelTest = command({
  summary: 'Tests a channel for notifications, and says whether the test has arrived',
  usage: 'CHANNEL [--json]',
  details: `CHANNEL is its label or its id. Sends a message to a chat, or a change event to a pager, which pages nobody: one attempt, which
is not retried. The exit code is 1 when it fails.`,
  options: restOptions,
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const sent = await sendTest(rest, await namedChannel(rest, name));
    const text = sent.delivered ? said`The test of ${sent.channel.label} has arrived.` : '';
    return { json: sent, text, failure: failedTest(sent) };
  },
});
