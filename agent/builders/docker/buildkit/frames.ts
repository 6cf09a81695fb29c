import { bytesField, readFields } from '../session/messages.ts';

const headBytes = 5;

/** gRPC puts five bytes before each message: whether it is compressed, and its length. */
export function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The messages of a stream, none of them longer than that. */
export async function* messagesOf(chunks: AsyncIterable<Buffer>, largest: number): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let size = 0;
  let wanted = headBytes;
  for await (const chunk of chunks) {
    pending.push(chunk);
    size += chunk.length;
    while (size >= wanted) {
      const all = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending);
      pending = [all];
      const end = headBytes + all.readUInt32BE(1);
      if (all[0] !== 0 || end > largest) throw new Error('BuildKit sends a message that is compressed or too long.');
      wanted = end;
      if (size < end) break;
      yield all.subarray(headBytes, end);
      pending = [all.subarray(end)];
      size -= end;
      wanted = headBytes;
    }
  }
  if (size > 0) throw new Error('A message of BuildKit is cut off.');
}

const piece = 1024 * 1024;

/** Bytes as messages `BytesMessage`. */
export async function* wrapped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += piece) yield framed(bytesField(1, chunk.subarray(at, at + piece)));
}

/** The bytes that were sent as messages `BytesMessage`. */
export async function* unwrapped(chunks: AsyncIterable<Buffer>, largest: number): AsyncGenerator<Buffer> {
  for await (const message of messagesOf(chunks, largest)) {
    const data = readFields(message).get(1)?.at(-1);
    if (Buffer.isBuffer(data) && data.length > 0) yield data;
  }
}
