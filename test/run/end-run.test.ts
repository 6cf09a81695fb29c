import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isAlive, type ProcessIdentity, signal } from '../../machine/process-identity.ts';
import { until } from '../ground/until.ts';
import { sampleTest as test } from '../images/sample-test.ts';
import { beginRun } from './begin-run.ts';

test('nothing that a test has started is left when the runner is killed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-left-'));
  const file = join(directory, 'left.json');
  const { runner, said } = beginRun('left-running', { LEFT_RUNNING: file });
  await until('everything runs', async () => {
    if (runner.exitCode !== null) throw new Error(`The run ended: ${said()}`);
    return existsSync(file);
  });
  const left: { directory: string; processes: ProcessIdentity[] } = JSON.parse(readFileSync(file, 'utf8'));
  try {
    expect(left.processes.filter((one) => !isAlive(one))).toEqual([]);
    runner.kill('SIGKILL');
    await until('all of them have ended', async () => !left.processes.some(isAlive));
    await until('their directory is gone', async () => !existsSync(left.directory));
  } finally {
    for (const one of left.processes) signal(one, 'SIGKILL');
    rmSync(directory, { recursive: true });
  }
});
