import { type Rest, RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { type Channel, channels, wordOf } from './channel.ts';

export interface SentTest {
  channel: Channel;
  delivered: boolean;
}

/** One attempt, whose end is known when this answers. */
export async function sendTest(rest: Rest, { id }: Channel): Promise<SentTest> {
  const { channel, delivered } = await rest.call<SentTest>('POST', `${channels}/${id}/test`);
  return { channel, delivered };
}

/** What has failed, and what can be done about it. */
export function failedTest(channel: Channel): RestRefusal {
  const word = wordOf(channel);
  const why = printable(channel.lastError).replace(/([^.])$/, '$1.');
  return new RestRefusal(
    `The test of ${printable(channel.label)} failed: ${why} \`./ballast channel set ${word} --secret-file FILE\` gives it another secret, \`./ballast channel test ${word}\` tests it again.`,
  );
}
