import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LogCursor } from '../../protocol/logs.ts';
import { DriverBench, type Ground, job, type LogLine, linesIn, texts, until, type Wish } from './driver-bench.ts';

/** The contract of every driver. Each call of `ground` creates a new home and driver. */
export function driverContract(name: string, ground: () => Promise<Ground>): void {
  describe(`the driver contract: ${name}`, () => {
    let bench: DriverBench;
    beforeAll(async () => {
      bench = await DriverBench.on(await ground());
    });
    afterEach(async () => {
      for (const { id } of await bench.driver.list()) await bench.driver.remove(id);
    });
    afterAll(() => bench?.ground.close());

    test('create, start, stop and remove can each be called again', async () => {
      const made = bench.spec();
      await bench.driver.create(made);
      expect(await bench.seen(made.id)).toMatchObject({
        ...{ id: made.id, key: made.key, release: 'r1', imageDigest: bench.image.digest, state: 'created', run: 0 },
        process: { name: 'web', port: 8080 },
      });
      await bench.driver.create({ ...made, release: 'r2' });
      expect(await bench.seen(made.id)).toMatchObject({ state: 'created', release: 'r1' });
      await bench.driver.stop(made.id, 1);

      await bench.driver.start(made.id);
      const first = await bench.answering(made.id);
      await Promise.all([bench.driver.start(made.id), bench.driver.start(made.id)]);
      expect(await bench.answering(made.id)).toEqual(first);
      expect(await bench.seen(made.id)).toMatchObject({ state: 'running', run: 1, startedAt: expect.any(Date) });

      await Promise.all([bench.driver.stop(made.id, 10), bench.driver.stop(made.id, 10)]);
      expect(await bench.seen(made.id)).toMatchObject({ state: 'ended', run: 1, exit: { run: 1, code: 0 } });
      await bench.driver.start(made.id);
      expect((await bench.answering(made.id)).instance).not.toBe(first.instance);
      expect(await bench.seen(made.id)).toMatchObject({ state: 'running', run: 2, exit: { run: 1, code: 0 } });

      await bench.driver.remove(made.id);
      expect(await bench.seen(made.id)).toBeUndefined();
      await bench.driver.remove(made.id);
      await bench.driver.stop(made.id, 1);
      await expect(bench.driver.start(made.id)).rejects.toThrow();
    });

    test('a process gets the declared variables and PORT, and nothing of the agent', async () => {
      const environment = {
        ...{ PLAIN: 'value', EMPTY: '', PWD: 'mine', IFS: 'x', UID: '7', _: 'under', SHLVL: '99', LC_ALL: 'xx_YY' },
        QUOTED: `it's "$HOME" \`id\` \\ $(id)\n#second\tline\r `,
        LETTERS: 'äöü ßéèñ 漢字かな 🚀 \u0081\u0088\u00ad',
        LONG: 'x'.repeat(100_000),
      };
      const id = await bench.started({ environment });
      await bench.answering(id);
      const got = (await (await bench.ask(id, '/environment')).json()) as Record<string, string>;
      expect(Number(got.PORT)).toBeGreaterThan(0);
      // The process that starts it here has dozens of its own.
      expect(process.env.VITEST).toBeDefined();
      // An engine of containers gives these three to everybody.
      const { PORT, PATH, HOME, HOSTNAME, ...rest } = got;
      expect(rest).toEqual(environment);
    });

    test('exit codes and signals are recorded, also of runs that ended while no agent lived', async () => {
      const id = await bench.started(job(['-once', '-code', '3']));
      const other = await bench.started(job(['-stubborn']));
      bench.driver = await bench.ground.driver();
      expect(await bench.ended(id)).toMatchObject({ run: 1, code: 3, at: expect.any(Date) });
      await bench.driver.stop(other, 0);
      expect(await bench.ended(other)).toMatchObject({ run: 1, code: 137, signal: 'SIGKILL' });
      await bench.driver.start(id);
      expect(await bench.ended(id, 2)).toMatchObject({ run: 2, code: 3 });
      expect(texts(await bench.said(id))).toHaveLength(2);
    });

    test('a new driver adopts what runs: it restarts nothing and loses no line', async () => {
      const id = await bench.started();
      const before = await bench.answering(id);
      const lines: LogLine[] = [];
      const first = new AbortController();
      const reading = (async () => {
        for await (const news of bench.driver.logs(id, { start: { tail: 0 }, follow: true, signal: first.signal }))
          lines.push(...linesIn(news));
      })();
      for (let number = 0; number < 60; number += 1) {
        await (await bench.ask(id, `/log?text=${encodeURIComponent(`counter ${number};`)}&count=3`)).text();
        if (number === 20) {
          await until('followed lines', async () => lines.length > 0);
          first.abort();
          bench.driver = await bench.ground.driver();
        }
      }
      await reading;
      expect(await bench.answering(id)).toEqual(before);
      expect(await bench.seen(id)).toMatchObject({ state: 'running', run: 1 });
      // An engine writes down a moment later what was said.
      const counted = await until('every line', async () => {
        const said = (await bench.said(id)).filter(({ text }) => text.includes('counter '));
        return said.length >= 180 && said;
      });
      const numbers = counted.map(({ text }) => Number(/counter (\d+);/.exec(text)?.[1]));
      expect(numbers).toEqual(Array.from({ length: 180 }, (_, index) => Math.floor(index / 3)));
      const positions = counted.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      const known = new Set(positions);
      for (const line of lines.filter(({ text }) => text.includes('counter ')))
        expect(known.has(line.position)).toBe(true);
    });

    test('what ignores SIGTERM is killed after the grace with all that it has started', async () => {
      const id = await bench.started({ process: { args: ['-stubborn', '-spawn'] } });
      await bench.answering(id);
      const begin = Date.now();
      await bench.driver.stop(id, 1);
      expect(Date.now() - begin).toBeGreaterThanOrEqual(900);
      expect(Date.now() - begin).toBeLessThan(8_000);
      expect(await bench.seen(id)).toMatchObject({ state: 'ended', exit: { code: 137, signal: 'SIGKILL' } });
    });

    test('what ends in time is not killed, and a request in flight is answered', async () => {
      const id = await bench.started();
      await bench.answering(id);
      const slow = bench.ask(id, '/slow?ms=700');
      await pause(100); // It has to be in flight.
      await bench.driver.stop(id, 20);
      expect((await slow).status).toBe(200);
      expect(await bench.seen(id)).toMatchObject({ state: 'ended', exit: { code: 0 } });
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

    test('logs are read on from a cursor: every line once, with the position that it always has', async () => {
      const id = await bench.started();
      await bench.answering(id);
      for (let number = 0; number < 30; number += 1) {
        await (await bench.ask(id, `/log?text=${encodeURIComponent(`number ${number};`)}`)).text();
      }
      const all = await until('all lines', async () => {
        const said = await bench.said(id);
        return said.filter(({ text }) => text.includes('number ')).length >= 30 && said;
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

    test('a command is run in an instance: its output, its exit code, its abort', async () => {
      const id = await bench.started({ environment: { PLAIN: 'inside' } });
      await bench.answering(id);
      const argv = [...bench.image.config.entrypoint];
      let output = '';
      const collect = (_stream: string, bytes: Buffer) => {
        output += bytes;
      };
      const signal = AbortSignal.timeout(20_000);
      expect(await bench.driver.exec(id, [...argv, '-env'], { output: collect, signal })).toEqual({ code: 0 });
      expect(output).toContain('PLAIN=inside');
      expect(await bench.driver.exec(id, [...argv, '-once', '-code', '5'], { output: collect, signal })).toEqual({
        code: 5,
      });

      const gone = new AbortController();
      const long = bench.driver.exec(id, [...argv, '-lingerer'], { output: collect, signal: gone.signal });
      setTimeout(() => gone.abort(), 300);
      await expect(long).rejects.toThrow();
      const marks: string[] = [];
      const began = (mark: string) => void marks.push(mark);
      const before = output.length;
      const left = bench.driver.exec(id, [...argv, '-spawn', '-delay', '60000'], { began, output: collect, signal });
      const over = left.then(
        ({ code }) => code,
        () => 'failed',
      );
      await until('it runs', async () => output.length > before);
      // As an agent does that comes after one that was killed.
      const later = await bench.ground.driver();
      expect(marks).toHaveLength(1);
      await later.endExec(marks[0] ?? '');
      expect(await over).not.toBe(0);
      await later.endExec(marks[0] ?? '');
      expect(await bench.seen(id)).toMatchObject({ state: 'running', run: 1 });
      await bench.driver.remove(id);
      await later.endExec(marks[0] ?? '');
      await expect(bench.driver.exec(id, argv, { output: collect, signal })).rejects.toThrow();
    });

    test('a volume outlives its instances, its use is observed, and it is removed by name only', async () => {
      // Beneath the directory it works in, since not every driver gives it a root of its own.
      const place = `${bench.image.config.workingDirectory}/data`;
      const data = { volumes: [{ name: 'data', path: place }], key: 'shop/volumes' };
      const wish = { ...data, process: { mounts: [{ volume: 'data', path: place }] } };
      const path = 'data/kept';
      const first = await bench.started(wish);
      await bench.answering(first);
      expect((await bench.ask(first, `/write?path=${path}&text=${'z'.repeat(6_000)}`)).status).toBe(200);
      await bench.driver.remove(first);
      const second = await bench.started(wish);
      await bench.answering(second);
      expect(await (await bench.ask(second, `/read?path=${path}`)).text()).toContain('z'.repeat(6_000));
      if ((await bench.driver.facts()).holds.volumeUsage?.holds) {
        await until('its use', async () =>
          (await bench.driver.volumes()).some((v) => v.key === data.key && v.name === 'data' && v.usedBytes >= 6_000),
        );
      }
      await bench.driver.remove(second);
      for (const _ of ['once', 'twice']) await bench.driver.removeVolume(data.key, 'data');
      expect((await bench.driver.volumes()).filter(({ key }) => key === data.key)).toEqual([]);
    });

    test('what takes more memory than it may have is killed, where the driver says that the limit holds', async (context) => {
      const { holds } = await bench.driver.facts();
      if (!holds.memoryLimit?.holds) {
        expect(holds.memoryLimit?.why).toMatch(/\.$/);
        return context.skip();
      }
      const id = await bench.started({ process: { memoryLimitBytes: 64 * 1024 * 1024 } });
      await bench.answering(id);
      await until('its use of memory', async () => ((await bench.seen(id))?.memoryBytes ?? 0) > 0);
      await bench.ask(id, '/allocate?mb=256').catch(() => undefined);
      expect(await bench.ended(id)).toMatchObject({ code: 137, signal: 'SIGKILL', outOfMemory: true });
    });

    test('two homes do not see each other', async () => {
      const there = await ground();
      try {
        const id = await bench.started();
        const other = await there.driver();
        expect(await other.list()).toEqual([]);
        await other.remove(id);
        await other.forgetImages(new Set());
        await bench.answering(id);
        await bench.driver.remove(id);
      } finally {
        await there.close();
      }
    });

    test('a watcher is told when something ends', async () => {
      const id = await bench.started();
      await bench.answering(id);
      let told = () => {};
      const stop = bench.driver.watch(() => told());
      const change = new Promise<void>((resolve) => {
        told = resolve;
      });
      await bench.ask(id, '/exit?code=9').catch(() => undefined);
      await Promise.race([change, once(AbortSignal.timeout(5_000), 'abort').then(() => Promise.reject('not told'))]);
      stop();
      expect(await bench.ended(id)).toMatchObject({ code: 9 });
    });

    test('what could lead out of the home is refused', async () => {
      const noRefusal = async (wish: Wish) =>
        await bench.driver.create({ ...bench.spec(), ...wish, process: bench.spec(wish).process }).then(
          () => true,
          (error: Error) => error.name !== 'Refusal',
        );
      const environments = [{ 'A=B': 'x' }, { A: 'nul\0' }].map((environment) => ({ environment }));
      for (const wish of [{ id: '../../etc' }, { key: '../x' }, ...environments])
        expect(await noRefusal(wish)).toBe(false);
      for (const volume of [
        { name: '../data', path: '/data' },
        { name: 'data', path: '/../../data' },
      ])
        expect(await noRefusal({ volumes: [volume] })).toBe(false);
      expect(await bench.driver.list()).toEqual([]);
    });

    test('25 at once', async () => {
      const ids = await Promise.all(Array.from({ length: 25 }, () => bench.started()));
      const answers = await Promise.all(ids.map((id) => bench.answering(id)));
      expect(new Set(answers.map(({ instance }) => instance)).size).toBe(25);
      await Promise.all(ids.map((id) => bench.driver.stop(id, 20)));
      expect((await bench.driver.list()).map(({ state }) => state)).toEqual(ids.map(() => 'ended'));
      await Promise.all(ids.map((id) => bench.driver.remove(id)));
    }, 60_000);

    test('an image is forgotten when nobody names it, and prepared again', async () => {
      await bench.driver.forgetImages(new Set([bench.image.digest]));
      await bench.driver.forgetImages(new Set());
      await bench.driver.prepare(bench.image, AbortSignal.timeout(60_000));
      const id = await bench.started();
      await bench.answering(id);
    });
  });
}
