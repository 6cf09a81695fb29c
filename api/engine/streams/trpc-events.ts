import { Problem } from '../../../domain/problems.ts';
import type { Frame } from './frames.ts';
import type { OpenedStream } from './open-stream.ts';

/** A stream's events without its comments: tRPC has a heartbeat of its own, and a refusal is an error there. */
export async function* eventsOf(
  stream: OpenedStream,
): AsyncGenerator<Exclude<Frame, { comment: string }>, void, undefined> {
  for await (const frame of stream.frames) {
    if (!('comment' in frame)) yield frame;
    else if (frame.comment.startsWith('refused:')) throw new Problem('too-many-requests', frame.comment);
  }
}
