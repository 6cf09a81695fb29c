import proto from '@temporalio/proto';

const { History } = proto.temporal.api.history.v1;

export type History = proto.temporal.api.history.v1.IHistory;

/**
 * A history as JSON that people can read, and back. The SDK's own functions for this refuse to work where npm installs
 * protobufjs once for each of its packages.
 */
export function historyToText(history: History): string {
  const plain = History.toObject(History.fromObject(history), { enums: String, longs: String, bytes: String });
  return `${JSON.stringify(plain, null, 2)}\n`;
}

export function historyFromText(text: string): History {
  const plain: unknown = JSON.parse(text);
  if (typeof plain !== 'object' || plain === null) throw new TypeError('The text is not a history.');
  return History.fromObject(plain);
}
