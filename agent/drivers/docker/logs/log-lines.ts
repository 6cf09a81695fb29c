import type { LogStream } from '../../../../protocol/logs.ts';
import { longestLine as longest } from '../../../../protocol/logs.ts';
import type { LogLines } from '../../driver.ts';

const largestFrame = 4 * 1024 * 1024;
const ticksPerSecond = 10_000_000;

/** The engine multiplexes both streams of a container in frames: stream, length, payload. */
export async function* frames(
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<{ stream: LogStream; bytes: Buffer }, void, undefined> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let at = 0;
    while (held.length - at >= 8) {
      const size = held.readUInt32BE(at + 4);
      if (size > largestFrame) throw new Error('What the Docker engine sends is no stream of frames.');
      if (held.length - at - 8 < size) break;
      const stream = held[at] === 2 ? 'stderr' : 'stdout';
      yield { stream, bytes: held.subarray(at + 8, at + 8 + size) };
      at += 8 + size;
    }
    held = held.subarray(at);
  }
}

/**
 * Lines out of frames that begin with their time. An engine keeps a long line in parts that have one time and no end but
 * the last one's; here it is put together again, and cut where it is longer than a line may be.
 */
export class LineReader {
  readonly #madeAt: bigint;
  readonly #open = new Map<LogStream, { nanoseconds: bigint; piece: number; bytes: Buffer[]; size: number }>();
  readonly #last = { stdout: -1, stderr: -1 };

  constructor(madeAt: string) {
    this.#madeAt = nanosecondsOf(madeAt);
  }

  *read(stream: LogStream, frame: Buffer): Generator<LogLines, void, undefined> {
    const space = frame.indexOf(0x20);
    const nanoseconds = nanosecondsOf(frame.toString('latin1', 0, space));
    const ends = frame.at(-1) === 0x0a;
    let rest = frame.subarray(space + 1, ends ? -1 : undefined);
    const open = this.#open.get(stream) ?? { nanoseconds, piece: 0, bytes: [], size: 0 };
    this.#open.set(stream, open);
    while (open.size + rest.length > longest) {
      const part = rest.subarray(0, longest - open.size);
      rest = rest.subarray(part.length);
      yield this.#line(stream, open, part);
      open.piece += 1;
      open.bytes = [];
      open.size = 0;
    }
    open.bytes.push(rest);
    open.size += rest.length;
    if (!ends) return;
    this.#open.delete(stream);
    if (open.piece === 0 || open.size > 0) yield this.#line(stream, open, lineBreak);
  }

  #line(
    stream: LogStream,
    { nanoseconds, piece, bytes }: { nanoseconds: bigint; piece: number; bytes: Buffer[] },
    last: Buffer,
  ): LogLines {
    // Tenths of microseconds since the container was made: good for 28 years. Writing a line down takes an engine longer,
    // so two lines of one stream never share one. Where the machine's clock went back, order comes first.
    const tick = Number((nanoseconds - this.#madeAt) / BigInt(1_000_000_000 / ticksPerSecond)) + piece;
    const position = Math.max(this.#last[stream] + 1, tick);
    this.#last[stream] = position;
    const at = new Date(Number(nanoseconds / 1_000_000n));
    return { stream, position, next: position + 1, at, bytes: Buffer.concat([...bytes, last]) };
  }
}

const lineBreak = Buffer.from('\n');

export const overlapTicks = ticksPerSecond;

export function tickOf(madeAt: string, time: string): number {
  return Number((nanosecondsOf(time) - nanosecondsOf(madeAt)) / BigInt(1_000_000_000 / ticksPerSecond));
}

/** A point in time as an engine wants to be told it. */
export function timeOfTick(madeAt: string, tick: number): string {
  const nanoseconds = nanosecondsOf(madeAt) + BigInt(Math.max(0, tick)) * BigInt(1_000_000_000 / ticksPerSecond);
  return `${nanoseconds / 1_000_000_000n}.${String(nanoseconds % 1_000_000_000n).padStart(9, '0')}`;
}

function nanosecondsOf(time: string): bigint {
  const [, seconds, fraction = '', zone = 'Z'] = /^([^.Z+]+)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  const milliseconds = seconds === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(milliseconds)) throw new Error('What the Docker engine sends of a log has no times.');
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
