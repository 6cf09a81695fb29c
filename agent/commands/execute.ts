import type { CommandBody } from '../../protocol/command.ts';
import type { Driver } from '../drivers/driver.ts';
import type { Run, RunResult } from './run.ts';

/** Runs a program in an instance, no longer than its time. */
export async function execute(
  { instance, command, timeoutSeconds }: Extract<CommandBody, { kind: 'exec' }>,
  run: Run,
  driver: Driver,
): Promise<RunResult> {
  const late = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const signal = AbortSignal.any([run.signal, late]);
    const { code } = await driver.exec(instance, command, { began: run.began, output: run.output, signal });
    if (!signal.aborted) return { outcome: 'done', exitCode: code };
  } catch (error) {
    if (!late.aborted || run.signal.aborted) throw error;
  }
  if (run.signal.aborted) return { outcome: 'cancelled' };
  return { outcome: 'failed', message: `It did not end within ${timeoutSeconds} s and was stopped.` };
}
