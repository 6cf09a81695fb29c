import { beforeAll, expect, test } from 'vitest';
import type { LogCursor } from '../../protocol/logs.ts';
import { type DriverBench, job, type LogLine, linesIn, texts, until } from './driver-bench.ts';

/** A part of the driver contract: what instances say, and how it is read. On the one bench of all parts. */
export function logContract(present: () => DriverBench): void {
  let bench: DriverBench;
  beforeAll(() => {
    bench = present();
  });

  test('logs: both streams, very long lines, junk, their times and the last so many', async () => {
    const id = await bench.started();
    await bench.answering(id);
    const before = Date.now();
    const log = (text: string, count = 1) =>
      bench.ask(id, '/log', { method: 'POST', body: new URLSearchParams({ text, count: String(count) }) });
    const long = Array.from({ length: 20_000 }, (_, number) => `${number} `).join('');
    await log('first', 5);
    await log(long);
    await (await bench.ask(id, '/log?text=junk%ff%00%1b%5b31mred')).text();
    const all = await until('all lines', async () => {
      const lines = await bench.said(id);
      return lines.some(({ text }) => text.includes('red')) && lines;
    });
    expect(all.filter(({ text }) => text === 'first')).toHaveLength(5);
    const from = all.findLastIndex(({ text }) => text === 'first') + 1;
    expect(texts(all.slice(from, -1)).join('')).toBe(long);
    for (const { text } of all) expect(text.length).toBeLessThanOrEqual(65_536);
    for (const line of all) expect(Math.abs(line.at.getTime() - before)).toBeLessThan(20_000);
    expect(await bench.said(id, 3)).toEqual(all.slice(-3));
    expect(await bench.said(id, 0)).toEqual([]);

    const failing = await bench.started(job([], { environment: { PORT: 'nonsense' } }));
    expect(await bench.ended(failing)).toMatchObject({ code: 1 });
    const said = await bench.said(failing);
    // Lines written within the same moment to different streams have no order.
    expect(said.toSorted((one, other) => (one.stream < other.stream ? -1 : 1))).toMatchObject([
      { stream: 'stderr', text: expect.stringContaining('unknown port') },
      { stream: 'stdout', text: expect.stringContaining('listening on port nonsense') },
    ]);
  });

  test('logs are followed across a restart until nobody wants them or the instance is removed', async () => {
    const id = await bench.started(job(['-once', '-code', '0']));
    await bench.ended(id);
    const lines: LogLine[] = [];
    const reading = (async () => {
      const signal = AbortSignal.timeout(20_000);
      for await (const news of bench.driver.logs(id, { start: { tail: 10 }, follow: true, signal }))
        lines.push(...linesIn(news));
      return signal.aborted;
    })();
    await until('the first run', async () => lines.length === 1);
    await bench.driver.start(id);
    await until('the second run', async () => lines.length === 2);
    expect(lines[1]?.position).toBeGreaterThan(lines[0]?.position ?? Number.POSITIVE_INFINITY);
    await bench.ended(id, 2);
    await bench.driver.remove(id);
    expect(await reading).toBe(false);
  });

  test('each run has its place in the log, with its exit, also for the agent that comes next', async () => {
    const id = await bench.started(job(['-once', '-code', '3']));
    // An engine tells runs apart by their times alone: each begins when the last words are nearer to the run before.
    const apart = async (run: number) => {
      const { at: exited } = await bench.ended(id, run);
      const line = await until('its line', async () => {
        const said = await bench.said(id);
        return said.length === run && said.at(-1);
      });
      const late = Math.max(50, line.at.getTime() - exited.getTime());
      await until('room for a border', async () => Date.now() - exited.getTime() > 4 * late);
    };
    await apart(1);
    for (const run of [2, 3, 4]) {
      if (run === 3) bench.driver = await bench.ground.driver();
      await bench.driver.start(id);
      await apart(run);
    }
    const lines = await until('a line of each run', async () => {
      const said = await bench.said(id);
      return said.length === 4 && said;
    });
    const runs = await bench.runs(id);
    expect(runs.map(({ run, exit }) => [run, exit?.code])).toEqual([1, 2, 3, 4].map((run) => [run, 3]));
    for (const [index, { startedAt = 0, exit, from, to }] of runs.entries()) {
      expect(exit?.at).toBeGreaterThanOrEqual(startedAt);
      const within = lines.filter(({ position, stream }) => position >= from[stream] && position < (to?.[stream] ?? 0));
      expect(within).toEqual([lines[index]]);
      // Backwards: the last lines of a run are those in front of its end.
      expect(await bench.said(id, 2, to)).toEqual(lines.slice(Math.max(0, index - 1), index + 1));
    }
  });

  test('logs are read on from a cursor: every line once, with the position that it always has', async () => {
    const id = await bench.started();
    await bench.answering(id);
    for (let number = 0; number < 10; number += 1) {
      await (await bench.ask(id, `/log?text=${encodeURIComponent(`number ${number};`)}`)).text();
    }
    const all = await until('all lines', async () => {
      const said = await bench.said(id);
      return said.filter(({ text }) => text.includes('number ')).length >= 10 && said;
    });
    const again: LogLine[] = [];
    let cursor: LogCursor | undefined;
    // A reader that is interrupted after a few lines, again and again.
    for (let more = true; more; ) {
      const start = cursor === undefined ? ('oldest' as const) : { from: cursor };
      const request = { start, follow: false, signal: AbortSignal.timeout(20_000) };
      more = false;
      for await (const news of bench.driver.logs(id, request)) {
        if ('begin' in news) cursor = { ...news.begin };
        else if (cursor !== undefined && 'bytes' in news) {
          again.push(...linesIn(news));
          cursor[news.stream] = news.next;
          more = true;
          break;
        }
      }
    }
    expect(again).toEqual(all);
  });
}
