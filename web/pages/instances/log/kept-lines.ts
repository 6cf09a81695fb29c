import type { LogLine } from './read-log.ts';

/** Lines rendered together; a full block never changes. */
export interface Block {
  id: number;
  lines: readonly LogLine[];
}

export interface Kept {
  blocks: readonly Block[];
  /** Number of lines since the log was opened; only grows. */
  told: number;
  /** Whether older lines were dropped. */
  dropped: boolean;
}

export const mostLines = 10_000;
const blockSize = 100;
/** Number of lines by which a log is recognized where it continues. */
const recognized = 20;

export const nothingKept: Kept = { blocks: [], told: 0, dropped: false };

/** Appends lines and drops the oldest ones, a block at a time. */
export function withLines(kept: Kept, lines: readonly LogLine[]): Kept {
  if (lines.length === 0) return kept;
  const blocks = [...kept.blocks];
  let next = 0;
  const last = blocks.at(-1);
  if (last !== undefined && last.lines.length < blockSize) {
    next = Math.min(blockSize - last.lines.length, lines.length);
    blocks[blocks.length - 1] = { id: last.id, lines: [...last.lines, ...lines.slice(0, next)] };
  }
  let id = (last?.id ?? -1) + 1;
  for (; next < lines.length; next += blockSize) {
    blocks.push({ id, lines: lines.slice(next, next + blockSize) });
    id += 1;
  }
  let count = countOf(blocks);
  let from = 0;
  for (const block of blocks) {
    if (count <= mostLines) break;
    count -= block.lines.length;
    from += 1;
  }
  return { blocks: blocks.slice(from), told: kept.told + lines.length, dropped: kept.dropped || from > 0 };
}

/**
 * Lines of the same log read again from further back: only new ones are added. Without an overlap they replace all kept
 * lines, so that no line appears twice.
 */
export function withLinesAgain(kept: Kept, again: readonly LogLine[]): Kept {
  const found = overlapEnd(kept, again);
  return found === undefined ? withLinesInstead(kept, again) : withLines(kept, again.slice(found));
}

/** Behind those of the lines that are kept already; undefined while the last of these are not found among them. */
export function overlapEnd(kept: Kept, again: readonly LogLine[]): number | undefined {
  const end = lastLines(kept, recognized);
  return end.length === 0 ? undefined : endOf(end, again);
}

/** Replaces all kept lines. */
export function withLinesInstead(kept: Kept, lines: readonly LogLine[]): Kept {
  const firstId = (kept.blocks.at(-1)?.id ?? -1) + 1;
  const { blocks, dropped } = withLines(nothingKept, lines);
  const renamed = blocks.map((block) => ({ ...block, id: block.id + firstId }));
  return { blocks: renamed, told: kept.told + lines.length, dropped };
}

/** Behind the last place where these lines stand in the others. */
function endOf(lines: readonly LogLine[], others: readonly LogLine[]): number | undefined {
  for (let start = others.length - lines.length; start >= 0; start -= 1) {
    if (lines.every((line, index) => isSame(line, others[start + index]))) return start + lines.length;
  }
  return undefined;
}

function isSame(one: LogLine, other: LogLine | undefined): boolean {
  return one.text === other?.text && one.stream === other.stream && one.at === other.at;
}

function lastLines({ blocks }: Kept, count: number): LogLine[] {
  return blocks
    .slice(-2)
    .flatMap(({ lines }) => lines)
    .slice(-count);
}

export function countOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { lines }) => sum + lines.length, 0);
}
