import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../machine/test-ground.ts';

const directory = temporaryFolder();

const lines = join(directory, 'lines');
/** Longer than any machine takes from the line that tells of it to the next beat. */
const never = 100_000;

/** The end of a process that is watched, and does this. */
async function watched(code: string, endedAfter = 40): Promise<{ signal: string | null; said: string }> {
  const watchdog = fileURLToPath(new URL('./watchdog.ts', import.meta.url));
  const program = join(directory, 'program.mjs');
  writeFileSync(
    program,
    `import { closeSync, readFileSync, statSync, writeFileSync } from 'node:fs';
     import { watchLoop } from ${JSON.stringify(watchdog)};
     const watching = watchLoop({ tickMillis: 100, toldAfter: 10, endedAfter: ${endedAfter} });
     const settled = () => new Promise((resolve) => setTimeout(resolve, 500));
     const hold = (millis) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis);
     const holdUntilTold = () => { while (statSync(${JSON.stringify(lines)}).size === 0) hold(200); };
     await settled();
     ${code}
     await watching.stop();`,
  );
  const written = openSync(lines, 'w');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['ignore', 'ignore', written],
  });
  closeSync(written);
  const [, signal] = await once(child, 'exit');
  return { signal, said: readFileSync(lines, 'utf8') };
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
  // Here they end once they have been named, however late a busy machine lets the other thread do so.
  const { signal, said } = await watched(
    `function spin() { for (let turns = 1; turns % 1e8 !== 0 || statSync(${JSON.stringify(lines)}).size === 0; turns++); }
     function turn() { spin(); }
     turn();`,
    never,
  );
  expect(said).toMatch(/held for 1 s by spin \(program\.mjs:\d+\) < turn \(program\.mjs:\d+\) < /);
  expect(signal).toBeNull();
});

test('one that is held for a while is told once, and goes on', async () => {
  const { signal, said } = await watched('holdUntilTold(); await settled();', never);
  expect(said).toMatch(/^\S+ warn The agent has been held for 1 s by futex\.\n$/);
  expect(signal).toBeNull();
});

test('an agent goes on without a watchdog that fails', async () => {
  const done = join(directory, 'done');
  // Nobody can be told any more, as when the launcher has gone.
  const { signal } = await watched(
    `process.stderr.on('error', () => {});
     closeSync(2);
     hold(1_500);
     await settled();
     writeFileSync(${JSON.stringify(done)}, '');`,
    never,
  );
  expect(signal).toBeNull();
  expect(existsSync(done)).toBe(true);
});
