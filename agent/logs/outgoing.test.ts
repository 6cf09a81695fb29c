import { expect, test } from 'vitest';
import { linesOf } from '../../protocol/log-lines.ts';
import { largestBatch, logBatch } from '../../protocol/logs.ts';
import type { LogLines } from '../drivers/driver.ts';
import { Outgoing } from './outgoing.ts';

const time = Date.parse('2026-03-01T12:00:00.000Z');

function lines(stream: 'stdout' | 'stderr', position: number, text: string, second: number): LogLines {
  const bytes = Buffer.from(text);
  return { stream, position, next: position + bytes.length, at: new Date(time + second * 1_000), bytes };
}

/** Everything that waits, as its reader gets it. */
function told(outgoing: Outgoing) {
  const batches = [];
  for (let batch = outgoing.take(); batch !== undefined; batch = outgoing.take()) batches.push(logBatch.parse(batch));
  const found = batches.flatMap(({ chunks }) =>
    chunks.flatMap((chunk): unknown[] => {
      if ('missing' in chunk) return [{ ...chunk }];
      const placed = linesOf({ ...chunk, bytes: Buffer.from(chunk.data, 'base64') });
      return placed.map(({ position, next, at, bytes }) => [
        chunk.stream,
        position,
        next,
        (at - time) / 1_000,
        `${bytes}`,
      ]);
    }),
  );
  return { batches, found };
}

test('neighbours become one chunk, and each line keeps its stream, position, time and place among the others', () => {
  const outgoing = new Outgoing({ stdout: 100, stderr: 7 });
  outgoing.add(lines('stdout', 100, 'a\nb\n', 1));
  outgoing.add(lines('stdout', 104, 'c\n', 2));
  // A line that nobody ended, and the next run's first behind it.
  outgoing.add(lines('stdout', 106, 'cut', 2));
  outgoing.add(lines('stdout', 110, 'next\n', 2));
  outgoing.add(lines('stderr', 7, 'oh\n', 3));
  outgoing.add({ stream: 'stdout', missing: { from: 115, to: 900 } });
  // A driver whose positions are times.
  outgoing.add({ ...lines('stdout', 900, 'tick\n', 4), next: 901 });
  outgoing.add({ ...lines('stdout', 950, 'tock\n', 5), next: 951 });
  const { batches, found } = told(outgoing);
  expect(found).toEqual([
    ['stdout', 100, 102, 1, 'a'],
    ['stdout', 102, 104, 1, 'b'],
    ['stdout', 104, 106, 2, 'c'],
    ['stdout', 106, 110, 2, 'cut'],
    ['stdout', 110, 115, 2, 'next'],
    ['stderr', 7, 10, 3, 'oh'],
    { stream: 'stdout', missing: { from: 115, to: 900 } },
    ['stdout', 900, 950, 4, 'tick'],
    ['stdout', 950, 951, 5, 'tock'],
  ]);
  expect(batches).toMatchObject([{ from: { stdout: 100, stderr: 7 }, to: { stdout: 951, stderr: 10 } }]);
  expect(batches[0]?.chunks).toHaveLength(4);
});

test('batches are no larger than a request may be, and each begins where the one before ended', () => {
  const outgoing = new Outgoing({ stdout: 0, stderr: 0 });
  const line = `${'x'.repeat(99_999)}\n`;
  for (let number = 0; number < 10; number += 1) outgoing.add(lines('stdout', number * line.length, line, 0));
  const { batches, found } = told(outgoing);
  expect(found.length).toBe(20);
  expect(batches.length).toBe(5);
  let cursor = { stdout: 0, stderr: 0 };
  for (const { from, to, chunks } of batches) {
    expect(from).toEqual(cursor);
    cursor = to;
    const bytes = chunks.reduce(
      (sum, chunk) => sum + ('data' in chunk ? Buffer.from(chunk.data, 'base64').length : 0),
      0,
    );
    expect(bytes).toBeLessThanOrEqual(largestBatch);
  }
  expect(cursor).toEqual({ stdout: 10 * line.length, stderr: 0 });
});
