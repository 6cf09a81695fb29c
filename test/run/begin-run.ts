import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const checkout = join(import.meta.dirname, '..', '..');
const vitest = join(checkout, 'node_modules', 'vitest', 'vitest.mjs');

/** A run within the run, of the settings in this folder. */
export function beginRun(folder: string, env: NodeJS.ProcessEnv = {}, words: readonly string[] = []) {
  const config = join(import.meta.dirname, folder, 'vitest.config.ts');
  const runner: ChildProcess = spawn(
    process.execPath,
    [vitest, 'run', '--config', config, '--root', checkout, ...words],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  for (const stream of [runner.stdout, runner.stderr]) stream?.on('data', (text) => (said += text));
  const ended = new Promise<number | null>((resolve) => runner.once('close', resolve));
  return { runner, ended, said: () => said };
}
