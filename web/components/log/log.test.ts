import { expect, test } from 'vitest';
import { until } from '../../../test/ground/until.ts';
import { Heights } from './heights.ts';
import { Matches, nextMatch, placesOf } from './matches.ts';
import type { Line, LogRow, RunEnd } from './rows.ts';
import type { LogNews, LogSource } from './source.ts';
import { LogStore } from './store/log-store.ts';
import { MergedRows } from './store/merged-rows.ts';
import { plainText, spansOf } from './terminal.ts';
import { endText } from './words.ts';

function line(number: number, more: Partial<Line> = {}): Line {
  const { channel = 'web-1', run = 1 } = more;
  const place = `${number * 10}.0`;
  const id = `${channel}~o${number * 10}`;
  return { kind: 'line', id, channel, place, at: number, stream: 'stdout', text: `line ${number}`, run, ...more };
}
const end = (run: number, at: number, code = 1): RunEnd => ({
  ...{
    kind: 'end',
    id: `web-1~r${run}`,
    channel: 'web-1',
    place: `${at * 10}.0`,
    at,
    run,
    code,
    startedAt: at - 2_300,
  },
});
const texts = (rows: readonly LogRow[]) => rows.map((row) => (row.kind === 'line' ? row.text : `end ${row.kind}`));

test('escape codes become colours or go, and nothing in a line can act', () => {
  const raw = '\u001b[1;31mred\u001b[0m \u001b]0;title\u0007<b>\u202etxt\u0000\t|\u001b[38;5;9mx\u001b[K\r';
  expect(plainText(raw)).toBe('red <b>\ufffdtxt\u2400    |x');
  expect(
    spansOf(raw)
      .map(({ text }) => text)
      .join(''),
  ).toBe(plainText(raw));
  expect(spansOf(raw)[0]).toEqual({ text: 'red', tone: 'fault', bold: true });
  expect(plainText('a\u2028b\u200b\u0085')).toBe('a\ufffdb\ufffd\ufffd');
});

test('heights are found by row and by place, whatever was changed', () => {
  const heights = new Heights();
  for (let row = 0; row < 1_000; row += 1) heights.push(20);
  heights.set(500, 60);
  expect([heights.offset(500), heights.offset(501), heights.total]).toEqual([10_000, 10_060, 20_040]);
  expect([heights.at(0), heights.at(10_059), heights.at(10_060), heights.at(99_999)]).toEqual([0, 500, 501, 999]);
});

test('matches are found in what was appended, and go round', () => {
  const matches = new Matches();
  const rows = [1, 2, 12].map((number) => line(number));
  expect(matches.of(rows, 'LINE 1')).toEqual([0, 2]);
  expect(matches.of([...rows, line(13), line(4)], 'LINE 1')).toEqual([0, 2, 3]);
  expect(matches.of([line(10), ...rows], 'LINE 1')).toEqual([0, 1, 3]);
  expect([nextMatch([0, 2, 3], 2, 1), nextMatch([0, 2, 3], 3, 1), nextMatch([0, 2, 3], 0, -1)]).toEqual([3, 0, 3]);
  expect(placesOf('aXax', 'ax')).toEqual([
    [0, 2],
    [2, 4],
  ]);
});

test('rows of several channels stand by time, those of one in their order', () => {
  const merged = new MergedRows();
  merged.append([line(1), line(5), { ...line(6), at: 2 }]);
  merged.append([line(3, { channel: 'web-2' }), line(9, { channel: 'web-2' }), line(5)]);
  expect(texts(merged.rows)).toEqual(['line 1', 'line 3', 'line 5', 'line 6', 'line 9']);
  merged.prepend([line(-1), line(0), line(1), line(2, { channel: 'web-2' })]);
  expect(texts(merged.rows)).toEqual(['line -1', 'line 0', 'line 1', 'line 2', 'line 3', 'line 5', 'line 6', 'line 9']);
});

/** A source whose streams are told by a test, one after the other. */
function source(streams: LogNews[][]) {
  const asked: (string | undefined)[] = [];
  const log: LogSource = {
    name: 'web-1',
    async *follow(channels) {
      asked.push(channels.get('web-1'));
      yield* streams.shift() ?? [];
    },
    before: async (_, place) => ({
      rows: [end(1, 2), line(3, { run: 2 }), line(4, { run: 2 })],
      isFirst: place === '40.0',
    }),
  };
  return { log, asked };
}
const channels = [{ id: 'web-1', group: 'web', ended: false }];
const rows = (...found: LogRow[]): LogNews[] => found.map((row) => ({ row }));

test('a stream that breaks is read on behind the last line: no line and no border twice, none left out', async () => {
  const { log, asked } = source([
    rows(end(1, 2), line(5, { run: 2 }), line(6, { run: 2 })),
    [...rows(end(1, 2), end(2, 7), line(8, { run: 3 })), { end: 'web-1', why: '' }],
  ]);
  const store = new LogStore(log);
  store.read(channels);
  await until('it ends', async () => store.view().state === 'ended');
  expect(asked).toEqual([undefined, '60.0']);
  expect(texts(store.view().rows)).toEqual(['line 5', 'line 6', 'end end', 'line 8']);
  expect(store.view().failure).toMatchObject({ run: 2, code: 1 });
  expect(await store.readEarlier()).toBe(2);
  expect(texts(store.view().rows).slice(0, 3)).toEqual(['line 3', 'line 4', 'line 5']);
  await store.openAt('web-1', '40.0');
  expect(store.view().isFirst).toBe(true);
  store.stop();
});

test('new rows are counted while the reader is elsewhere, and a short log is known to be whole', async () => {
  const more = Promise.withResolvers<void>();
  const log: LogSource = {
    name: 'web-1',
    async *follow() {
      yield* rows(line(1), line(2));
      // One heartbeat may come before the agent has sent all that was asked for.
      yield { alive: true };
      yield { alive: true };
      await more.promise;
      yield* rows(line(3), line(4), line(5));
      yield { end: 'web-1', why: '' };
    },
    before: () => Promise.reject(new Error('Nobody asks.')),
  };
  const store = new LogStore(log);
  store.read(channels);
  await until('it is whole', async () => store.view().isFirst);
  expect(await store.readEarlier()).toBe(0);
  store.pause(true);
  more.resolve();
  await until('it ends', async () => store.view().state === 'ended');
  expect([store.view().fresh, texts(store.view().rows)]).toEqual([
    3,
    [1, 2, 3, 4, 5].map((number) => `line ${number}`),
  ]);
  store.pause(false);
  expect(store.view().fresh).toBe(0);
});

test('100,000 rows are laid out and found without looking at each', () => {
  const heights = new Heights();
  const merged = new MergedRows();
  merged.append(Array.from({ length: 100_000 }, (_, number) => line(number)));
  for (const _ of merged.rows) heights.push(20);
  for (let row = 0; row < 100_000; row += 1_000) heights.set(row, 40);
  expect([heights.total, heights.at(heights.offset(77_777))]).toEqual([2_002_000, 77_777]);
});

test('a border says how the run ended', () => {
  expect(endText(end(4, 2_300))).toBe('Run 4 · exited with code 1 after 2.3 s');
  expect(endText({ ...end(4, 2_300), signal: 'SIGKILL', outOfMemory: true })).toMatch(/memory limit after 2.3 s$/);
  expect(endText({ ...end(4, 2_300, 0), startedAt: undefined } as never)).toBe('Run 4 · exited with code 0');
});
