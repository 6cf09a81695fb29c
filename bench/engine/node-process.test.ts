import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { until } from '../../test/ground/until.ts';

const directory = await mkdtemp(join(tmpdir(), 'ballast-bench-test-'));
afterAll(() => rm(directory, { recursive: true }));

/** A benchmark with a server, and a measurement that would go on for ever. */
async function begin(): Promise<{ bench: ChildProcess; server: number }> {
  const [server, bench, pid] = ['server.mjs', 'bench.mjs', 'pid'].map((name) => join(directory, name));
  await rm(String(pid), { force: true });
  await writeFile(String(server), 'setInterval(() => undefined, 1000);');
  const engine = new URL('node-process.ts', import.meta.url).href;
  const starting = { file: server, env: {}, log: join(directory, 'log') };
  await writeFile(
    String(bench),
    `import { writeFileSync } from 'node:fs';
    import { endOnSignals, startNode } from ${JSON.stringify(engine)};
    endOnSignals(() => undefined);
    const { pid } = await startNode({ ...${JSON.stringify(starting)}, ready: async () => true });
    writeFileSync(${JSON.stringify(pid)}, String(pid));
    setInterval(() => undefined, 1000);`,
  );
  const child = spawn(process.execPath, [String(bench)], { stdio: 'inherit' });
  const found = await until(
    'the server runs',
    async () => Number(await readFile(String(pid), 'utf8').catch(() => '')) || undefined,
  );
  return { bench: child, server: found };
}

const runs = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test.each(['SIGTERM', 'SIGHUP'] as const)('a benchmark that is ended by %s leaves no server behind', async (signal) => {
  const { bench, server } = await begin();
  expect(runs(server)).toBe(true);
  bench.kill(signal);
  await until('the server has ended', async () => !runs(server));
  // The second one ends the benchmark itself, which measures nothing here.
  const ended = once(bench, 'exit');
  bench.kill(signal);
  await ended;
});
