import type { LogLine } from '../../driver.ts';

const longest = 64 * 1024;
const largestFrame = 4 * 1024 * 1024;
const ticksPerSecond = 10_000_000;

/** A line with what tells it from all others of its container. */
export interface Line extends LogLine {
  /** Tenths of microseconds since the container was made. */
  tick: number;
  /** The same whenever and from wherever it is read. */
  name: string;
}

/** The engine multiplexes both streams of a container in frames: stream, length, payload. */
export async function* frames(
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<{ stream: 'stdout' | 'stderr'; bytes: Buffer }, void, undefined> {
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
  readonly #open = new Map<string, { nanoseconds: bigint; piece: number; bytes: Buffer[]; size: number }>();
  #last = -1;

  constructor(madeAt: string) {
    this.#madeAt = nanosecondsOf(madeAt);
  }

  *read(stream: 'stdout' | 'stderr', frame: Buffer): Generator<Line, void, undefined> {
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
    if (open.piece === 0 || open.size > 0) yield this.#line(stream, open, Buffer.alloc(0));
  }

  #line(
    stream: 'stdout' | 'stderr',
    { nanoseconds, piece, bytes }: { nanoseconds: bigint; piece: number; bytes: Buffer[] },
    last: Buffer,
  ): Line {
    // Good for 14 years of a container's life. Writing a line down takes an engine longer than one tick, so two lines of
    // one stream never share one; even positions are stdout's, odd ones stderr's.
    const tick = Number((nanoseconds - this.#madeAt) / BigInt(1_000_000_000 / ticksPerSecond)) + piece;
    // Where the machine's clock went back, or the two streams overtook each other by a hair, order comes first.
    this.#last = Math.max(this.#last + 1, tick * 2 + (stream === 'stderr' ? 1 : 0));
    return {
      position: this.#last,
      stream,
      at: new Date(Number(nanoseconds / 1_000_000n)),
      text: Buffer.concat([...bytes, last]).toString('utf8'),
      tick,
      name: `${nanoseconds}/${stream}/${piece}`,
    };
  }
}

export const overlapTicks = ticksPerSecond;

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
