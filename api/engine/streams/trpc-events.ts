import { Problem } from '../../../domain/problems.ts';
import { EventBatch, type EventFrame } from './frames.ts';
import type { OpenedStream } from './open-stream.ts';

/** A stream's events without its comments: tRPC has a heartbeat of its own, and a refusal is an error there. */
export async function* eventsOf(stream: OpenedStream): AsyncGenerator<EventFrame, void, undefined> {
  for await (const frame of stream.frames) {
    if (frame instanceof EventBatch) yield* frame.events;
    else if (!('comment' in frame)) yield frame;
    else if (frame.comment.startsWith('refused:')) throw new Problem('too-many-requests', frame.comment);
  }
}
