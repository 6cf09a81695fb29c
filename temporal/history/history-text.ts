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

/** The form that Temporal's own tools read and write: times and lengths of time are texts. */
export function historyToJson(history: object): Record<string, unknown> {
  const plain = History.toObject(History.fromObject(history), { enums: String, longs: String, bytes: String });
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, worded('', value)]));
}

/** Reads both forms. */
export function historyFromText(text: string): History {
  const plain: unknown = JSON.parse(text);
  if (typeof plain !== 'object' || plain === null) throw new TypeError('The text is not a history.');
  return History.fromObject(
    Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, counted('', value)])),
  );
}

const isTime = /Time$/;
const isPeriod = /(?:Timeout|Interval|Backoff|Delay|Duration|Ttl)$/;

function worded(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => worded(name, one));
  if (typeof value !== 'object' || value === null) return value;
  const { seconds = '0', nanos = 0, ...rest } = value as { seconds?: string; nanos?: number };
  if (Object.keys(rest).length === 0) {
    const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0')}`;
    if (isTime.test(name)) return `${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}${fraction}Z`;
    if (isPeriod.test(name)) return `${seconds}${fraction}s`;
  }
  return Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, worded(inner, one)]));
}

function counted(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => counted(name, one));
  if (typeof value === 'string') {
    const [, begin = '', nanos = ''] = /^(\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{9}))?[Zs]$/.exec(value) ?? [];
    if (begin === '' || !(isTime.test(name) || isPeriod.test(name))) return value;
    const seconds = begin.includes('T') ? Date.parse(`${begin}Z`) / 1_000 : Number(begin);
    return { seconds: String(seconds), nanos: Number(nanos) };
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, counted(inner, one)]));
}
