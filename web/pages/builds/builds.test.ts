import { expect, test } from 'vitest';
import type { LogNews } from '../../components/log/source.ts';
import { LogStore } from '../../components/log/store/log-store.ts';
import { buildMillis, cacheText, sourceText, stagesOf, whyOf } from './build-words.ts';
import { buildLogSource, channel, hashOf, lineOf } from './log/build-log-source.ts';

const quiet = { blocker: '', error: '', releaseError: '', cancelRequested: false };

test('a build says why it is as it is, and nothing where all is well', () => {
  expect(whyOf({ ...quiet, status: 'queued', blocker: 'Waits for 2 builds.' })?.text).toBe('Waits for 2 builds.');
  expect(whyOf({ ...quiet, status: 'queued', blocker: 'temporal' })?.text).toMatch(/^Its workflow cannot be reached/);
  expect(whyOf({ ...quiet, status: 'failed', error: 'npm said no' })).toMatchObject({
    tone: 'fault',
    text: 'npm said no',
  });
  expect(whyOf({ ...quiet, status: 'succeeded', releaseError: 'frozen' })?.title).toBe('Built, but not deployed');
  expect(whyOf({ ...quiet, status: 'running', cancelRequested: true })?.title).toBe('The build is being cancelled');
  expect(whyOf({ ...quiet, status: 'succeeded' })).toBeUndefined();
  expect(whyOf({ ...quiet, status: 'running' })).toBeUndefined();
});

test('the source is the first line of its commit, or the folder', () => {
  const commit = { repository: 'team/app', branch: 'main', commitSha: '9fceb02d0ae598e9', message: '' };
  expect(sourceText({ ...commit, commitMessage: 'Greet people\n\nIn the morning.' })).toBe(
    'main 9fceb02d: Greet people',
  );
  const folder = { repository: '', branch: '', commitSha: '', commitMessage: '', message: '' };
  expect(sourceText(folder)).toBe('Uploaded folder');
  expect(sourceText({ ...folder, message: 'With a limit' })).toBe('Uploaded folder: With a limit');
  expect([cacheText({ cachedSteps: 0, totalSteps: 0 }), cacheText({ cachedSteps: 2, totalSteps: 7 })]).toEqual([
    '',
    '2 of 7 steps',
  ]);
  const startedAt = '2026-05-04T09:30:00.000Z';
  expect(buildMillis({}, 0)).toBeUndefined();
  expect(buildMillis({ startedAt }, Date.parse(startedAt) + 5_000)).toBe(5_000);
});

test('steps follow the wait for the turn, and one that nobody ended is over with its build', () => {
  const times = { createdAt: '2026-05-04T09:29:57.000Z', startedAt: '2026-05-04T09:30:00.000Z' };
  const steps = [{ name: 'install', status: 'running' as const, startedAt: times.startedAt }];
  const shown = (of: Parameters<typeof stagesOf>[0]) =>
    stagesOf(of).map(({ title, outcome }) => `${title}: ${outcome}`);
  expect(shown({ status: 'queued', steps: [], createdAt: times.createdAt })).toEqual(['Wait for its turn: running']);
  expect(shown({ status: 'running', steps, ...times })).toEqual([
    'Wait for its turn: done',
    'Install packages: running',
  ]);
  const finishedAt = '2026-05-04T09:31:00.000Z';
  expect(shown({ status: 'failed', steps, ...times, finishedAt })).toEqual([
    'Wait for its turn: done',
    'Install packages: failed',
  ]);
  expect(shown({ status: 'cancelled', steps: [], createdAt: times.createdAt, finishedAt })).toEqual([
    'Wait for its turn: cancelled',
  ]);
});

test('a line of a log has the end of an address, whatever somebody typed there', () => {
  expect(hashOf(lineOf('L120'))).toBe('L120');
  expect(['', 'L0', 'L', 'Lx', 'L1.5', 'top'].map(lineOf)).toEqual(Array(6).fill(undefined));
  expect(hashOf('log~o1@1.0')).toBeUndefined();
});

/** A log of so many lines, of which streams are cut after `cut`, as the control plane does after their time. */
function logOf(lines: number, { over = true, cut = Number.POSITIVE_INFINITY } = {}) {
  const asked: number[] = [];
  const source = buildLogSource({
    name: 'web-build-1',
    extent: () => Promise.resolve({ lines, over }),
    async *stream(after) {
      asked.push(after);
      yield { data: '', comment: 'open' };
      for (let seq = after + 1; seq <= Math.min(lines, after + cut); seq += 1)
        yield { event: 'log', data: JSON.stringify({ at: '2026-05-04T09:30:00.000Z', seq, text: `line ${seq}` }) };
    },
  });
  return { source, asked };
}
const signal = new AbortController().signal;
const told = async (news: AsyncIterable<LogNews>) => {
  const all: string[] = [];
  for await (const one of news) all.push('row' in one ? one.row.id : 'end' in one ? 'end' : 'alive');
  return all;
};

test('of a long log the last lines are read, those behind a number, and those up to one', async () => {
  const { source, asked } = logOf(1_000_000);
  const last = await told(source.follow(new Map([[channel, undefined]]), 3, signal));
  expect(last).toEqual(['alive', 'log~999998', 'log~999999', 'log~1000000', 'end']);
  const behind = await told(source.follow(new Map([[channel, '999999.0']]), 3, signal));
  expect(behind).toEqual(['alive', 'log~1000000', 'end']);
  const piece = await source.before(channel, '120.0', 20, signal);
  expect([piece.rows.length, piece.rows[0]?.id, piece.rows.at(-1)?.id, piece.isFirst]).toEqual([
    20,
    'log~101',
    'log~120',
    false,
  ]);
  expect((await source.before(channel, '5.0', 20, signal)).isFirst).toBe(true);
  expect(asked).toEqual([999_997, 999_999, 100, 0]);
});

test('a link behind the end leads to the end, and to nothing in an empty log', async () => {
  const piece = await logOf(10).source.before(channel, '99999.0', 4, signal);
  expect(piece.rows.map(({ id }) => id)).toEqual(['log~7', 'log~8', 'log~9', 'log~10']);
  expect(await logOf(0).source.before(channel, '1.0', 4, signal)).toEqual({ rows: [], isFirst: true });
});

test('a stream that is cut, or whose build goes on, is no end', async () => {
  const cut = logOf(10, { cut: 4 });
  expect(await told(cut.source.follow(new Map([[channel, '0.0']]), 3, signal))).not.toContain('end');
  const running = logOf(10, { over: false });
  expect(await told(running.source.follow(new Map([[channel, '0.0']]), 3, signal))).not.toContain('end');
});

test('the view shows every line once across streams that were cut', async () => {
  const store = new LogStore(logOf(9, { cut: 5 }).source);
  const ended = Promise.withResolvers<void>();
  store.subscribe(() => store.view().state === 'ended' && ended.resolve());
  store.read([{ id: channel, group: channel, ended: false }]);
  await ended.promise;
  expect(store.view().rows.map((row) => row.kind === 'line' && row.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  store.stop();
});
