import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { listeningSentence } from '../../domain/deployments/listening.ts';
import { deleteVolumes } from '../commands/delete-volumes.ts';
import { DriverBench, type Ground, until, type Wish } from './driver-bench.ts';
import { fileContract } from './file-contract.ts';
import { lifeContract } from './life-contract.ts';
import { logContract } from './log-contract.ts';

/** The contract of every driver. Each call of `ground` creates a new home and driver; `crowd` instances run at once. */
export function driverContract(name: string, ground: () => Promise<Ground>, crowd = 25): void {
  describe(`the driver contract: ${name}`, () => {
    let bench: DriverBench;
    beforeAll(async () => {
      bench = await DriverBench.on(await ground());
    });
    afterEach(async () => {
      for (const { id } of await bench.driver.list()) await bench.driver.remove(id);
    });
    afterAll(() => bench?.ground.close());

    lifeContract(() => bench);
    logContract(() => bench);
    fileContract(() => bench);
    crowdContract(() => bench, crowd);

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
          (await bench.driver.volumes.list()).some(
            (v) => v.key === data.key && v.name === 'data' && v.usedBytes >= 6_000,
          ),
        );
      }
      const ask = (mounted: string[], volumes?: string[]) =>
        deleteVolumes(
          { kind: 'delete-volumes', key: data.key, ...(volumes === undefined ? {} : { volumes }) },
          { driver: bench.driver, mountsOf: () => new Set(mounted) },
        );
      expect(await ask([])).toMatchObject({ outcome: 'failed', message: expect.stringContaining(second) });
      expect(await ask([], ['never'])).toMatchObject({ outcome: 'done' });
      await bench.driver.remove(second);
      expect(await ask(['data'])).toMatchObject({ outcome: 'failed', message: expect.stringContaining(data.key) });
      expect((await bench.driver.volumes.list()).filter(({ key }) => key === data.key)).toHaveLength(1);
      for (const _ of ['once', 'twice']) expect(await ask([])).toMatchObject({ outcome: 'done' });
      expect((await bench.driver.volumes.list()).filter(({ key }) => key === data.key)).toEqual([]);
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

    test('the places where its programs listen are found, also those of another port', async () => {
      const { driver } = bench;
      const well = await bench.started();
      await bench.answering(well);
      const there = await driver.listening(well);
      const port = there?.port ?? 0;
      expect(there?.sockets).toEqual([{ address: '::', port }]);
      const asked = (await bench.seen(well))?.address?.port;
      if (there?.ownNetwork === false) expect(asked).toBe(port);
      else expect(port).toBe(8080);

      const elsewhere = await bench.started({ process: { args: ['-listen', '127.0.0.1:0'] } });
      const found = await until('where it listens', async () => {
        const now = await driver.listening(elsewhere);
        return now?.sockets.length === 1 ? now : undefined;
      });
      expect(found.sockets).toEqual([{ address: '127.0.0.1', port: expect.any(Number) }]);
      expect(found.sockets[0]?.port).not.toBe(found.port);
      expect(listeningSentence(found)).toMatch(
        /^It listens on .+, not on PORT \(\d+\): have it read the variable PORT/,
      );

      const silent = await bench.started({ process: { args: ['-delay', '600000'] } });
      await until('it runs', async () => (await bench.seen(silent))?.state === 'running');
      expect((await driver.listening(silent))?.sockets).toEqual([]);
      await driver.stop(silent, 0);
      expect(await driver.listening(silent)).toBeUndefined();
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

    test('an image is forgotten when nobody names it, and prepared again', async () => {
      await bench.driver.forgetImages(new Set([bench.image.digest]));
      await bench.driver.forgetImages(new Set());
      await bench.driver.prepare(bench.image, AbortSignal.timeout(60_000));
      const id = await bench.started();
      await bench.answering(id);
    });
  });
}

/** So many instances at once. On the one bench of all parts. */
export function crowdContract(at: () => DriverBench, crowd: number): void {
  test(`${crowd} at once`, async () => {
    const bench = at();
    const ids = await Promise.all(Array.from({ length: crowd }, () => bench.started()));
    const answers = await Promise.all(ids.map((id) => bench.answering(id)));
    expect(new Set(answers.map(({ instance }) => instance)).size).toBe(crowd);
    await Promise.all(ids.map((id) => bench.driver.stop(id, 20)));
    expect((await bench.driver.list()).map(({ state }) => state)).toEqual(ids.map(() => 'ended'));
    await Promise.all(ids.map((id) => bench.driver.remove(id)));
  });
}
