import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Progress } from './progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function screen(isTTY: boolean) {
  const written: string[] = [];
  const out = { isTTY, columns: 60, write: (text: string) => written.push(text) > 0 };
  return { progress: new Progress(out), written, text: () => written.join('') };
}

test('where nobody watches, a long step says so after three seconds and then every fifteen', () => {
  const { progress, written } = screen(false);
  progress.running('build', 'building the server');
  vi.advanceTimersByTime(2_000);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(written).toEqual(['… building the server, 3 s\n']);
  vi.advanceTimersByTime(80_000);
  expect(written).toHaveLength(6);
  expect(written.at(-1)).toBe('… building the server, 1 min 18 s\n');
  progress.done('build', 'Server built');
  expect(written.at(-1)).toBe('✓ Server built (84.0 s)\n');
  vi.advanceTimersByTime(60_000);
  expect(written).toHaveLength(7);
});

test('on a terminal one line is drawn over and over and never wraps', () => {
  const { progress, written, text } = screen(true);
  progress.running('a', 'the first step of this start, which has a long name indeed');
  progress.running('b', 'the second');
  vi.advanceTimersByTime(1_000);
  const drawn = text().split('\r\x1b[K');
  expect(drawn.every((line) => line.length <= 60 && !line.includes('\n'))).toBe(true);
  progress.done('a', 'First');
  expect(written.join('')).toContain('\r\x1b[K✓ First (1.0 s)\n');
  progress.end();
  expect(written.at(-1)).toBe('\r\x1b[K');
});
