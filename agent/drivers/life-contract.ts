import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { type DriverBench, job, type LogLine, linesIn, texts, until } from './driver-bench.ts';

/**
 * A part of the driver contract: the life of an instance, from what it begins with to how it ends. On the one bench of
 * all parts.
 */
export function lifeContract(present: () => DriverBench): void {
  let bench: DriverBench;
  beforeAll(() => {
    bench = present();
  });

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
    const { PORT, PATH, HOME, HOSTNAME, ...rest } = got;
    expect(rest).toEqual(environment);
    expect([PATH, HOME]).toEqual([expect.stringContaining('/bin'), expect.stringMatching(/^\//)]);
    const own = await bench.started({ environment: { PATH: '/bin', HOME: '/nowhere' } });
    await bench.answering(own);
    expect(await (await bench.ask(own, '/environment')).json()).toMatchObject({ PATH: '/bin', HOME: '/nowhere' });
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
    for (let number = 0; number < 20; number += 1) {
      await (await bench.ask(id, `/log?text=${encodeURIComponent(`counter ${number};`)}&count=3`)).text();
      if (number === 7) {
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
      return said.length >= 60 && said;
    });
    const numbers = counted.map(({ text }) => Number(/counter (\d+);/.exec(text)?.[1]));
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, index) => Math.floor(index / 3)));
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
}
