import { frames } from '../../../live/event-stream.ts';

export interface LogLine {
  /** Counts the lines that were read, from whatever log. */
  id: number;
  stream: 'stdout' | 'stderr';
  text: string;
  at?: string;
}

export type LogNews =
  /** `after`: the place behind the line, for the next stream. */
  | { say: 'line'; line: LogLine; after: string }
  /** A heartbeat: the connection is up, no line was written. */
  | { say: 'alive' }
  /** End of the log; `why` is empty if it is complete. */
  | { say: 'end'; why: string }
  | { say: 'refused'; why: string };

export interface WhichLog {
  organizationId: string;
  clusterId: string;
  instanceId: string;
}

let lastId = 0;

/** Where to begin: behind a line that was read, or at the last so many. */
export type LogStart = { after: string } | { tail: number };

/** The log of an instance until its stream ends, by an error or by returning. */
export async function* readLog(
  { organizationId, clusterId, instanceId }: WhichLog,
  start: LogStart,
  signal: AbortSignal,
): AsyncGenerator<LogNews> {
  const path = `/api/v1/clusters/${encodeURIComponent(clusterId)}/instances/${encodeURIComponent(instanceId)}/logs/stream`;
  const begin = 'after' in start ? `after=${start.after}` : `tail=${start.tail}`;
  const answer = await fetch(`${path}?${begin}&follow=true`, {
    headers: { accept: 'text/event-stream', 'x-svc-organization': organizationId },
    cache: 'no-store',
    signal,
  });
  if (!answer.ok || answer.body === null) {
    yield { say: 'refused', why: await reasonOf(answer) };
    return;
  }
  for await (const { event, comment, data, id: after = '' } of frames(answer.body)) {
    if (event === 'log') {
      lastId += 1;
      yield { say: 'line', line: { ...shown(JSON.parse(data) as LogLine), id: lastId }, after };
    } else if (event === 'missing') {
      lastId += 1;
      yield { say: 'line', line: { ...missing(JSON.parse(data) as Gap), id: lastId }, after };
    } else if (event === 'end') yield { say: 'end', why: (JSON.parse(data) as { message: string }).message };
    else if (comment?.startsWith('refused:')) yield { say: 'refused', why: sentence(comment.slice(8).trim()) };
    else if (comment !== 'open') yield { say: 'alive' };
  }
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

interface Gap {
  stream: 'stdout' | 'stderr';
  from: number;
  to: number;
}

function missing({ stream, from, to }: Gap): Omit<LogLine, 'id'> {
  const text = `Lines are missing here (positions ${from} to ${to}): they were deleted before they could be read.`;
  return { stream, text };
}

/** Escape codes of a terminal would show up as garbage. */
const escapeCode = String.fromCharCode(27);
const bell = String.fromCharCode(7);
const terminal = new RegExp(
  `${escapeCode}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${escapeCode}]*(?:${bell}|${escapeCode}\\\\)|[@-Z\\\\-_])`,
  'g',
);

function shown(line: LogLine): LogLine {
  return { ...line, text: line.text.replace(terminal, '').replace(/\r$/, '') };
}
