export type EventFrame = { event: string; data: unknown; id?: string; retry?: number };
export type Frame = { comment: string } | EventFrame | EventBatch;

/** Events that go out together, to several readers: they are written down once for all of them. */
export class EventBatch<Event extends EventFrame = EventFrame> {
  readonly events: readonly Event[];
  #bytes: Buffer | undefined;

  constructor(events: readonly Event[]) {
    this.events = events;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.events.map(frameText).join(''));
    return this.#bytes;
  }
}

/** A frame as it goes over the wire. Line breaks cannot get in: data is JSON, and names and ids are ours. */
export function frameText(frame: { comment: string } | EventFrame): string {
  if ('comment' in frame) return `: ${frame.comment.replace(/[\r\n]+/g, ' ')}\n\n`;
  let text = `event: ${frame.event}\n`;
  if (frame.id !== undefined) text += `id: ${frame.id}\n`;
  if (frame.retry !== undefined) text += `retry: ${frame.retry}\n`;
  return `${text}data: ${JSON.stringify(frame.data)}\n\n`;
}
