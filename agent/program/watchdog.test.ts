import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'ballast-watchdog-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** The end of a process that is watched, and does this. */
async function watched(code: string): Promise<{ signal: string | null; said: string }> {
  const watchdog = fileURLToPath(new URL('./watchdog.ts', import.meta.url));
  const program = join(directory, 'program.mjs');
  writeFileSync(
    program,
    `import { closeSync, readFileSync, writeFileSync } from 'node:fs';
     import { watchLoop } from ${JSON.stringify(watchdog)};
     const watching = watchLoop({ tickMillis: 100, toldAfter: 10, endedAfter: 40 });
     const settled = () => new Promise((resolve) => setTimeout(resolve, 500));
     await settled();
     ${code}
     await watching.stop();`,
  );
  return await new Promise((resolve) => {
    execFile(process.execPath, ['--disable-warning=ExperimentalWarning', program], (error, _, said) =>
      resolve({ signal: error?.signal ?? null, said }),
    );
  });
}

test('a file that never ends to open is named, and the process is ended', async () => {
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { signal, said } = await watched(`readFileSync(${JSON.stringify(pipe)});`);
  expect(said).toContain(`held for 1 s by openat of ${JSON.stringify(pipe)}.`);
  expect(said).toContain('held for 4 s and is ended, to be started again.');
  expect(signal).toBe('SIGKILL');
});

test('functions that compute without end are named', async () => {
  const { signal, said } = await watched('function spin() { for (;;); } function turn() { spin(); } turn();');
  expect(said).toMatch(/held for 1 s by spin \(program\.mjs:\d+\) < turn \(program\.mjs:\d+\) < /);
  expect(signal).toBe('SIGKILL');
});

test('one that is held for a while is told once, and goes on', async () => {
  const { signal, said } = await watched(
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500); await settled();',
  );
  expect(said).toMatch(/^\S+ warn The agent has been held for 1 s by futex\.\n$/);
  expect(signal).toBeNull();
});

test('an agent goes on without a watchdog that fails', async () => {
  const done = join(directory, 'done');
  // Nobody can be told any more, as when the launcher has gone.
  const { signal } = await watched(`
    process.stderr.on('error', () => {});
    closeSync(2);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    await settled();
    writeFileSync(${JSON.stringify(done)}, '');`);
  expect(signal).toBeNull();
  expect(existsSync(done)).toBe(true);
});
