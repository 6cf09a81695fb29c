export interface Hint {
  kind: string;
  id: string;
  projectId?: string;
}

export type StreamEvent =
  | { event: 'open' }
  | { event: 'change'; hint: Hint }
  | { event: 'resync' }
  | { event: 'alive' };

/** Asked for, so that a dead stream is noticed within five seconds, although one heartbeat came late. */
const heartbeatSeconds = 2;

/**
 * The organization's events until the stream ends, however it ends: by an error, or by returning. `after` a position it
 * begins with what changed since.
 */
export async function* readEvents(
  organizationId: string,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const since = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
  const answer = await fetch(`/api/v1/events/stream?heartbeat=${heartbeatSeconds}${since}`, {
    headers: { accept: 'text/event-stream', 'x-svc-organization': organizationId },
    cache: 'no-store',
    signal,
  });
  if (!answer.ok || answer.body === null) throw new StreamRefused(answer.status);
  for await (const { event, comment, data } of frames(answer.body)) {
    if (comment?.startsWith('refused:')) throw new Error(comment);
    if (comment === 'open') yield { event: 'open' };
    else if (event === 'change') yield { event: 'change', hint: JSON.parse(data) as Hint };
    else if (event === 'resync') yield { event: 'resync' };
    else yield { event: 'alive' };
  }
}

/** The control plane refused the stream. */
export class StreamRefused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`The event stream was refused with ${status}.`);
    this.status = status;
  }
}

export interface Frame {
  event?: string;
  comment?: string;
  data: string;
  id?: string;
}

/** Frames of an event stream, however the network has split its bytes. */
export async function* frames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (rest + decoder.decode(read.value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield frameOf(block);
    }
  } finally {
    // A reader that stops does not need the rest of the body.
    await reader.cancel().catch(() => undefined);
  }
}

function frameOf(block: string): Frame {
  const frame: Frame = { data: '' };
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) frame.comment = line.slice(1).trim();
    else if (line.startsWith('event:')) frame.event = line.slice(6).trim();
    else if (line.startsWith('id:')) frame.id = line.slice(3).trim();
    else if (line.startsWith('data:')) frame.data += line.slice(5).trim();
  }
  return frame;
}
