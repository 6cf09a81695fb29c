import { runSandboxed, type Sandbox, type Sandboxed } from './sandbox/sandbox.ts';
import { CommandFailed } from './step-failed.ts';

/** Runs a command to a good end, or throws how it ended. */
export async function runCommand(sandbox: Sandbox, run: Sandboxed): Promise<void> {
  const end = await runSandboxed(sandbox, run);
  run.signal.throwIfAborted();
  if (end.ended !== 'exited' || end.code !== 0) throw new CommandFailed(run.command, end);
}
