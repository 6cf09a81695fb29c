import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { Facts, HistoryEvent } from '../../domain/history-steps/step.ts';

const { History } = proto.temporal.api.history.v1;

/** The events of a page of a history as plain data, decoded: `bytes` is a `temporal.api.history.v1.History`. */
export async function historyEvents(bytes: Uint8Array, codec: PayloadCodec): Promise<HistoryEvent[]> {
  const plain = History.toObject(History.decode(bytes), { enums: String, longs: Number });
  const events: unknown = plain.events;
  return await Promise.all(Array.isArray(events) ? events.map((event: unknown) => eventOf(event, codec)) : []);
}

async function eventOf(event: unknown, codec: PayloadCodec): Promise<HistoryEvent> {
  const fields = isObject(event) ? event : {};
  const attributes = Object.entries(fields).find(([name]) => name.endsWith('EventAttributes'))?.[1];
  const plain = await plainOf('', attributes, codec);
  return {
    id: Number(fields.eventId ?? 0),
    type: inCamelCase(String(fields.eventType ?? '').replace(/^EVENT_TYPE_/, '')),
    at: isObject(fields.eventTime) ? momentOf(fields.eventTime) : new Date(0).toISOString(),
    attributes: isObject(plain) ? plain : {},
  };
}

/** Temporal's own bookkeeping, and the paths of programs. */
const leftOut: ReadonlySet<string> = new Set([
  'binaryChecksum',
  'buildIdRedirectCounter',
  'completionCallbacks',
  'eagerExecutionAccepted',
  'encodedAttributes',
  'firstWorkflowTaskBackoff',
  'header',
  'historySizeBytes',
  'identity',
  'inheritedBuildId',
  'links',
  'meteringMetadata',
  'prevAutoResetPoints',
  'priority',
  'requestId',
  'sdkMetadata',
  'searchAttributes',
  'source',
  'stackTrace',
  'taskQueue',
  'useWorkflowBuildId',
  'userMetadata',
  'versioningInfo',
  'workerVersion',
  'workflowTaskCompletedEventId',
]);

/** A value without Temporal's wrappings: payloads decoded, times as text, lengths of time in milliseconds. */
async function plainOf(name: string, value: unknown, codec: PayloadCodec): Promise<unknown> {
  if (typeof value === 'string') return value.replace(/^(?:TIMEOUT_TYPE|RETRY_STATE|CONTINUE_AS_NEW_INITIATOR)_/, '');
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return await Promise.all(value.map((one: unknown) => plainOf(name, one, codec)));
  if (!isObject(value)) return value;
  if (isPayload(value)) return await decoded(value, codec);
  if (Array.isArray(value.payloads)) {
    const payloads: unknown = await plainOf(name, value.payloads, codec);
    return Array.isArray(payloads) && payloads.length === 1 ? payloads[0] : payloads;
  }
  const keys = Object.keys(value);
  if (/(?:Timeout|Interval)$/.test(name) && keys.length === 0) return 0;
  if (keys.length > 0 && keys.every((key) => key === 'seconds' || key === 'nanos')) {
    return name.endsWith('Time') ? momentOf(value) : millisecondsOf(value);
  }
  if (keys.length === 1 && name.endsWith('Type') && typeof value.name === 'string') return value.name;
  if (keys.length === 1 && isObject(value.fields)) return await plainOf(name, value.fields, codec);
  if (/failure$|^cause$/i.test(name)) return await plainFailure(value, codec);
  const entries = Object.entries(value).filter(([key]) => !leftOut.has(key));
  const plain = await Promise.all(entries.map(async ([key, one]) => [key, await plainOf(key, one, codec)] as const));
  return Object.fromEntries(plain);
}

/** A failure as people can read it; what its message says is encoded like all else, where it lies is nobody's matter. */
export async function plainFailure(failure: object, codec: PayloadCodec): Promise<Facts> {
  const given = isObject(failure) ? failure : {};
  const { encodedAttributes, cause, applicationFailureInfo, timeoutFailureInfo } = given;
  const encoded =
    isObject(encodedAttributes) && isPayload(encodedAttributes) ? await decoded(encodedAttributes, codec) : {};
  const message = isObject(encoded) && typeof encoded.message === 'string' ? encoded.message : given.message;
  const type = isObject(applicationFailureInfo) ? applicationFailureInfo.type : undefined;
  const timeout = isObject(timeoutFailureInfo) ? timeoutFailureInfo.timeoutType : undefined;
  return {
    message: typeof message === 'string' ? message : '',
    ...(typeof type === 'string' && type !== '' ? { type } : {}),
    ...(typeof timeout === 'string' ? { timeout: timeout.replace(/^TIMEOUT_TYPE_/, '') } : {}),
    ...(isObject(cause) ? { cause: await plainFailure(cause, codec) } : {}),
  };
}

async function decoded(payload: Payload, codec: PayloadCodec): Promise<unknown> {
  try {
    const [plain] = await codec.decode([payload]);
    const encoding = Buffer.from(plain?.metadata?.encoding ?? []).toString();
    if (encoding === 'binary/null') return null;
    if (encoding === 'json/plain') return JSON.parse(Buffer.from(plain?.data ?? []).toString('utf8'));
    return `${plain?.data?.length ?? 0} bytes`;
  } catch (error) {
    // One that cannot be read is no reason not to show the others.
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isPayload(value: Record<string, unknown>): value is Record<string, unknown> & Payload {
  return isObject(value.metadata) && 'encoding' in value.metadata;
}

function millisecondsOf({ seconds, nanos }: Record<string, unknown>): number {
  return Number(seconds ?? 0) * 1_000 + Math.round(Number(nanos ?? 0) / 1e6);
}

function momentOf(time: Record<string, unknown>): string {
  return new Date(millisecondsOf(time)).toISOString();
}

function inCamelCase(name: string): string {
  return name.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
