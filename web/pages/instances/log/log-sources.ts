import type { LogRow } from '../../../components/log/rows.ts';
import { type LogNews, LogRefused, type LogSource } from '../../../components/log/source.ts';
import { plainText } from '../../../components/log/terminal.ts';
import { type Frame, frames } from '../../../live/event-stream.ts';

/** Where the logs of a cluster's instances are read. */
interface LogsOf {
  organizationId: string;
  clusterId: string;
}

/** The log of one instance. */
export function instanceSource(of: LogsOf, instance: string): LogSource {
  return {
    name: instance,
    async *follow(channels, tail, signal) {
      const place = channels.get(instance);
      const begin: Record<string, string> = place === undefined ? { tail: String(tail) } : { after: place };
      yield* news(readStream(of, instance, { ...begin, follow: 'true' }, signal), instance);
    },
    before: (channel, place, count, signal) => before(of, channel, place, count, signal),
  };
}

/** The last rows of an instance up to a place. */
async function before(of: LogsOf, instance: string, place: string, count: number, signal: AbortSignal) {
  const rows: LogRow[] = [];
  const query = { before: place, tail: String(count) };
  for await (const told of news(readStream(of, instance, query, signal), instance)) {
    if ('row' in told) rows.push(told.row);
    else if ('end' in told && told.why !== '') throw new LogRefused(told.why);
  }
  return { rows, isFirst: rows.filter(({ kind }) => kind === 'line').length < count };
}

/** The frames of a log's stream; a refusal is thrown. */
async function* readStream(
  { organizationId, clusterId }: LogsOf,
  instance: string | undefined,
  query: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const one = instance === undefined ? '' : `/instances/${encodeURIComponent(instance)}`;
  const path = `/api/v1/clusters/${encodeURIComponent(clusterId)}${one}/logs/stream`;
  const answer = await fetch(`${path}?${new URLSearchParams(query)}`, {
    headers: { accept: 'text/event-stream', 'x-svc-organization': organizationId },
    cache: 'no-store',
    signal,
  });
  if (!answer.ok || answer.body === null) throw new LogRefused(await reasonOf(answer));
  for await (const frame of frames(answer.body)) {
    if (frame.comment?.startsWith('refused:')) throw new LogRefused(sentence(frame.comment.slice(8).trim()));
    yield frame;
  }
}

/** News of an instance, as frames tell them. */
export async function* news(found: AsyncIterable<Frame>, instance: string): AsyncGenerator<LogNews> {
  for await (const frame of found) {
    if (frame.event === 'end') yield { end: instance, why: (JSON.parse(frame.data) as { message: string }).message };
    else if (frame.event === undefined) {
      if (frame.comment !== 'open') yield { alive: true };
    } else {
      const row = rowOf(frame, instance);
      if (row !== undefined) yield { row };
    }
  }
}

interface SourceLine {
  stream: 'stdout' | 'stderr';
  position: number;
  text: string;
  at: string;
  run?: number;
  from: number;
  to: number;
  startedAt?: string;
  exit?: { at: string; code?: number; signal?: string; outOfMemory?: true };
}

/** The row of an event; begins of runs have none, since lines carry their run. */
function rowOf({ event, data, id: place = '' }: Frame, channel: string): LogRow | undefined {
  const { stream, text, at, run, from, to, startedAt, exit } = JSON.parse(data) as SourceLine;
  const [out = 0, err = 0] = place.split('.').map(Number);
  if (event === 'log') {
    const plain = plainText(text);
    const id = `${channel}~${stream === 'stderr' ? `e${err}` : `o${out}`}`;
    const line = { kind: 'line', id, channel, place, at: Date.parse(at), stream, text: plain } as const;
    return { ...line, ...(plain === text ? {} : { raw: text }), ...(run === undefined ? {} : { run }) };
  }
  if (event === 'missing') {
    return { kind: 'missing', id: `${channel}~m${stream}${from}`, channel, place, at: 0, stream, from, to };
  }
  if (event !== 'run' || run === undefined || exit === undefined) return undefined;
  const { at: ended, ...how } = exit;
  // Where its lines end, wherever the reader is.
  const behind = typeof to === 'string' ? to : place;
  return {
    ...{ kind: 'end', id: `${channel}~r${run}`, channel, place: behind, at: Date.parse(ended), run, ...how },
    ...(startedAt === undefined ? {} : { startedAt: Date.parse(startedAt) }),
  };
}

async function reasonOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined);
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  return typeof detail === 'string' ? detail : `The control plane answered ${answer.status}.`;
}

function sentence(text: string): string {
  const capital = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** The logs of all instances of a workload, in one stream. */
export function workloadSource(of: LogsOf, workload: string): LogSource {
  return {
    name: workload,
    async *follow(channels, tail, signal) {
      const places = [...channels].flatMap(([id, place]) => (place === undefined ? [] : [`${id}:${place}`]));
      const query = {
        instances: [...channels.keys()].slice(0, mostInstances).join(),
        tail: String(tail),
        follow: 'true',
        ...(places.length === 0 ? {} : { after: places.slice(0, mostInstances).join() }),
      };
      for await (const { id = '', ...frame } of readStream(of, undefined, query, signal)) {
        if (frame.event === undefined) {
          if (frame.comment !== 'open') yield { alive: true };
        } else yield* told({ ...frame, id: id.slice(id.indexOf(':') + 1) });
      }
    },
    before: (channel, place, count, signal) => before(of, channel, place, count, signal),
  };
}

/** As many as one stream takes. */
export const mostInstances = 12;

function* told(frame: { event?: string; data: string; id: string }): Generator<LogNews> {
  const { instance, message } = JSON.parse(frame.data) as { instance: string; message?: string };
  if (frame.event === 'end') {
    if (typeof message !== 'string') throw new LogRefused('The control plane answered nonsense.');
    yield { end: instance, why: message === '' ? '' : `${instance}: ${message}` };
    return;
  }
  const row = rowOf(frame, instance);
  if (row !== undefined) yield { row };
}
