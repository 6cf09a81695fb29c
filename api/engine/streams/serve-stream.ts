import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Incoming } from '../input/incoming.ts';
import type { Input } from '../input/input.ts';
import type { ServerParts } from '../server/server-parts.ts';
import { EventBatch, type Frame, frameText } from './frames.ts';
import { openStream } from './open-stream.ts';

/** Sends an operation's events as `text/event-stream`, never faster than the reader takes them. */
export async function serveStream(
  server: ServerParts,
  incoming: Incoming,
  input: Input,
  reply: FastifyReply,
): Promise<void> {
  const { frames, signal } = openStream(server, incoming, input);
  const { raw } = reply;
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.setHeader('x-accel-buffering', 'no');
  // Left open it would be idle for a minute, and a process that stops waits for it.
  raw.setHeader('connection', 'close');
  raw.writeHead(200, { 'content-type': 'text/event-stream' });
  if (incoming.method === 'HEAD') {
    raw.end();
    return;
  }
  raw.flushHeaders();
  try {
    await send(raw, frames, signal);
  } catch (error) {
    server.log.error({ requestId: incoming.requestId, err: error }, 'A stream met a defect');
  }
  if (raw.writableNeedDrain) raw.destroy();
  else raw.end();
}

const enoughForOneWrite = 16_384;

/** Frames that come at once go out at once: a write for each would cost more than the frame itself. */
async function send(
  raw: ServerResponse,
  frames: AsyncGenerator<Frame, void, undefined>,
  signal: AbortSignal,
): Promise<void> {
  let waiting = '';
  let scheduled: NodeJS.Immediate | undefined;
  const flush = () => {
    clearImmediate(scheduled);
    scheduled = undefined;
    if (waiting !== '' && !raw.destroyed) raw.write(waiting);
    waiting = '';
  };
  for await (const frame of frames) {
    if (frame instanceof EventBatch) {
      flush();
      if (!raw.destroyed) raw.write(frame.bytes);
    } else waiting += frameText(frame);
    if (waiting.length >= enoughForOneWrite) flush();
    else if (waiting !== '') scheduled ??= setImmediate(flush);
    if (raw.destroyed || (raw.writableNeedDrain && !(await drained(raw, signal)))) break;
  }
  flush();
}

/** Whether the reader has taken what was sent; false when it has left or the stream is to end. */
async function drained(raw: ServerResponse, signal: AbortSignal): Promise<boolean> {
  if (raw.destroyed || signal.aborted) return false;
  const stop = new AbortController();
  const cease = () => stop.abort();
  signal.addEventListener('abort', cease, { once: true });
  raw.once('close', cease);
  try {
    await once(raw, 'drain', { signal: stop.signal });
    return true;
  } catch {
    return false;
  } finally {
    signal.removeEventListener('abort', cease);
    raw.removeListener('close', cease);
  }
}
