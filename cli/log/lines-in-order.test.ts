import { expect, test } from 'vitest';
import { inOrder } from './read-logs.ts';

interface Line {
  instance: string;
  at?: string;
  text: string;
}

const logs: Record<string, Line[]> = {
  one: [
    { instance: 'one', at: '2026-03-01T12:00:00.000Z', text: 'a' },
    { instance: 'one', at: '2026-03-01T12:00:03.000Z', text: 'd' },
    { instance: 'one', text: 'e, not ended by a line break' },
  ],
  two: [
    { instance: 'two', at: '2026-03-01T12:00:01.000Z', text: 'b' },
    { instance: 'two', at: '2026-03-01T12:00:00.500Z', text: 'c, after the clock went back' },
    { instance: 'two', at: '2026-03-01T12:00:09.000Z', text: 'f' },
  ],
};

test.each([true, false])(
  'lines of several instances are ordered by time, those of one as they were written: live %s',
  async (live) => {
    const said: string[] = [];
    await inOrder(
      { ids: Object.keys(logs), atOnce: 4, live },
      async (id, add: (line: Line) => void) => logs[id]?.forEach(add),
      ({ text }) => void said.push(text.slice(0, 1)),
    );
    expect(said.join('')).toBe('abcdef');
  },
);
