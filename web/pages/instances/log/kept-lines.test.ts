import { expect, test } from 'vitest';
import { countOf, type Kept, mostLines, nothingKept, withLines, withLinesInstead } from './kept-lines.ts';
import type { LogLine } from './read-log.ts';

let lastId = 0;

/** Lines `from` to `to` of a log in which each line says its number. */
function lines(from: number, to: number, text = (number: number) => `line ${number}`): LogLine[] {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    lastId += 1;
    const at = new Date(1_800_000_000_000 + (from + index) * 10).toISOString();
    return { id: lastId, stream: 'stdout', text: text(from + index), at };
  });
}

function textOf({ blocks }: Kept): string[] {
  return blocks.flatMap((block) => block.lines.map(({ text }) => text));
}

function texts(from: number, to: number): string[] {
  return lines(from, to).map(({ text }) => text);
}

test('lines are kept in their order, the oldest go, and full blocks stay as they are', () => {
  let kept = nothingKept;
  for (let from = 1; from < 12_345; from += 123) {
    const before = kept.blocks;
    kept = withLines(kept, lines(from, from + 122));
    const same = kept.blocks.filter((block) => before.includes(block));
    expect(same.length).toBeGreaterThanOrEqual(Math.min(before.length, kept.blocks.length) - 3);
    expect(countOf(kept.blocks)).toBeLessThanOrEqual(mostLines);
  }
  const last = kept.told;
  const count = countOf(kept.blocks);
  expect(count).toBeGreaterThan(mostLines - 100);
  expect(kept.dropped).toBe(true);
  expect(textOf(kept)).toEqual(texts(last - count + 1, last));
  const ids = kept.blocks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a log that is read again from further back takes the place of what was there', () => {
  const before = withLines(nothingKept, lines(1, 500));
  const after = withLinesInstead(before, lines(-300, 620));
  expect(textOf(after)).toEqual(texts(-300, 620));
  expect(after.blocks.map(({ id }) => id)).not.toEqual(expect.arrayContaining([before.blocks[0]?.id]));
});
