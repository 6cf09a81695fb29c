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

/** Replaces all kept lines. */
export function withLinesInstead(kept: Kept, lines: readonly LogLine[]): Kept {
  const firstId = (kept.blocks.at(-1)?.id ?? -1) + 1;
  const { blocks, dropped } = withLines(nothingKept, lines);
  const renamed = blocks.map((block) => ({ ...block, id: block.id + firstId }));
  return { blocks: renamed, told: kept.told + lines.length, dropped };
}

export function countOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { lines }) => sum + lines.length, 0);
}
