import { expect, test } from 'vitest';
import type { DriverBench } from './driver-bench.ts';

/** The part of the contract about the files of instances. */
export function fileContract(at: () => DriverBench): void {
  test('files made of variables are there where they were said to be, also in the next run, and each instance has its own', async () => {
    const bench = at();
    const { workingDirectory } = bench.image.config;
    const wish = (content: string) => ({
      environment: { CONFIG: content, KEY: `${content}\n-----END-----` },
      files: [
        { path: 'config/app.yml', variable: 'CONFIG' },
        // Beneath the directory it works in, since not every driver gives it a root of its own.
        { path: `${workingDirectory}/secrets/key.pem`, variable: 'KEY' },
      ],
    });
    const read = async (id: string, path: string) => await (await bench.ask(id, `/read?path=${path}`)).text();
    const [first, second] = [await bench.started(wish('one')), await bench.started(wish('two'))];
    for (const [id, content] of [
      [first, 'one'],
      [second, 'two'],
    ] as const) {
      await bench.answering(id);
      expect(await read(id, 'config/app.yml')).toContain(content);
      expect(await read(id, 'secrets/key.pem')).toContain(`${content}\n-----END-----`);
    }
    await bench.driver.stop(first, 0);
    await bench.driver.start(first);
    await bench.answering(first);
    expect(await read(first, 'config/app.yml')).toContain('one');
    let told = '';
    const output = (_stream: string, bytes: Buffer) => {
      told += bytes;
    };
    const env = [...bench.image.config.entrypoint, '-env'];
    await bench.driver.exec(first, env, { output, signal: AbortSignal.timeout(20_000) });
    expect(told).toMatch(/FILE_KEY=\/\S*secrets\/key\.pem/);
  });

  test('a file is its instance’s own: it may read it, and no other user may; nobody may change it', async () => {
    const bench = at();
    const files = [
      { path: 'config/app.yml', variable: 'CONFIG' },
      { path: `${bench.image.config.workingDirectory}/key.pem`, variable: 'CONFIG' },
    ];
    // Only root can give files away, and run instances as somebody else.
    const users = process.getuid?.() === 0 ? [undefined, 10_001] : [undefined];
    for (const runAsUser of users) {
      const id = await bench.started({ environment: { CONFIG: 'secret' }, files, process: { runAsUser } });
      await bench.answering(id);
      const { uid, gid } = (await (await bench.ask(id, '/')).json()) as Record<string, number>;
      for (const path of ['config/app.yml', 'key.pem']) {
        expect(await (await bench.ask(id, `/stat?path=${path}`)).json(), path).toEqual({ mode: '0400', uid, gid });
        expect(await (await bench.ask(id, `/read?path=${path}`)).text()).toBe('secret');
      }
    }
  });

  test('a file without a variable, on a way out or in the place of a directory is refused', async () => {
    const bench = at();
    const refused = async (path: string, variable = 'CONFIG') => {
      const spec = bench.spec({ environment: { CONFIG: 'x' }, files: [{ path, variable }] });
      return await bench.driver.create(spec).then(
        () => 'created',
        (error: Error) => error.constructor.name,
      );
    };
    expect(await refused('../x')).toBe('Refusal');
    expect(await refused('/usr/bin/env')).toBe('Refusal');
    expect(await refused('a/./b')).toBe('Refusal');
    expect(await refused('config', 'NONE')).toBe('Refusal');
  });
}
