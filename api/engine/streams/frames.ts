export type Frame = { comment: string } | { event: string; data: unknown; id?: string; retry?: number };

/** A frame as it goes over the wire. Line breaks cannot get in: data is JSON, and names and ids are ours. */
export function frameText(frame: Frame): string {
  if ('comment' in frame) return `: ${frame.comment.replace(/[\r\n]+/g, ' ')}\n\n`;
  let text = `event: ${frame.event}\n`;
  if (frame.id !== undefined) text += `id: ${frame.id}\n`;
  if (frame.retry !== undefined) text += `retry: ${frame.retry}\n`;
  return `${text}data: ${JSON.stringify(frame.data)}\n\n`;
}
