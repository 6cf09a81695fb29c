import { longestLine } from './logs.ts';

const lineBreak = 10;

export interface PlacedLine {
  position: number;
  /** The position behind it. */
  next: number;
  at: number;
  bytes: Buffer;
}

export interface PlacedBytes {
  position: number;
  next: number;
  at: number;
  marks?: readonly (readonly [offset: number, position: number, at: number])[] | undefined;
  bytes: Buffer;
}

/** The lines of a chunk, each with its position. A line that is too long comes in several pieces. */
export function linesOf({ position, next, at, marks = [], bytes }: PlacedBytes): PlacedLine[] {
  const lines: PlacedLine[] = [];
  let mark: readonly [number, number, number] = [0, position, at];
  let following = 0;
  for (let offset = 0; offset < bytes.length; ) {
    for (
      let upcoming = marks[following];
      upcoming !== undefined && upcoming[0] <= offset;
      upcoming = marks[following]
    ) {
      mark = upcoming;
      following += 1;
    }
    const found = bytes.indexOf(lineBreak, offset);
    // A line without a line break ends where the next mark stands, if there is one.
    const open = found === -1 ? bytes.length : found;
    const end = Math.min(open, marks[following]?.[0] ?? open, offset + longestLine);
    const behind = end === found ? end + 1 : end;
    lines.push({ position: mark[1] + (offset - mark[0]), next, at: mark[2], bytes: bytes.subarray(offset, end) });
    offset = behind;
  }
  for (let index = 0; index + 1 < lines.length; index += 1) {
    const [line, after] = [lines[index], lines[index + 1]];
    if (line !== undefined && after !== undefined) line.next = after.position;
  }
  return lines;
}
