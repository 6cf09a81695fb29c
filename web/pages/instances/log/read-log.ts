import { frames } from '../../../live/event-stream.ts';

export interface LogLine {
  /** Counts the lines that were read, from whatever log. */
  id: number;
  stream: 'stdout' | 'stderr';
  text: string;
  at?: string;
}

export type LogNews =
  | { say: 'line'; line: LogLine }
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

/** The log of an instance until its stream ends, by an error or by returning. */
export async function* readLog(
  { organizationId, clusterId, instanceId }: WhichLog,
  tail: number,
  signal: AbortSignal,
): AsyncGenerator<LogNews> {
  const path = `/api/v1/clusters/${encodeURIComponent(clusterId)}/instances/${encodeURIComponent(instanceId)}/logs/stream`;
  const answer = await fetch(`${path}?tail=${tail}&follow=true`, {
    headers: { accept: 'text/event-stream', 'x-svc-organization': organizationId },
    cache: 'no-store',
    signal,
  });
  if (!answer.ok || answer.body === null) {
    yield { say: 'refused', why: await reasonOf(answer) };
    return;
  }
  for await (const { event, comment, data } of frames(answer.body)) {
    if (event === 'log') {
      lastId += 1;
      yield { say: 'line', line: { ...shown(JSON.parse(data) as LogLine), id: lastId } };
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
