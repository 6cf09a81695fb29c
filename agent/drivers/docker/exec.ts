import { setTimeout as pause } from 'node:timers/promises';
import type { Exec } from 'dockerode';
import { z } from 'zod';
import { contentOf } from '../../../machine/files.ts';
import { identify, signal as send } from '../../../machine/process-identity.ts';
import type { Running } from '../driver.ts';
import { type Engine, saidBy, statusOf, unless } from './engine.ts';
import { frames } from './logs/log-lines.ts';

const begun = z.object({ exec: z.string().max(128), container: z.string().max(128) });

/** Runs a command in a container, beside what runs there. */
export async function exec(
  engine: Engine,
  container: string,
  command: readonly string[],
  { began, output, signal }: Running,
): Promise<{ code: number }> {
  signal.throwIfAborted();
  const made = await engine
    .ask((docker) =>
      docker.getContainer(container).exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true, Tty: false }),
    )
    .catch((error: unknown) => {
      if (statusOf(error) === 404) throw new Error('There is no such instance; list the instances of the cluster.');
      if (statusOf(error) === 409) throw new Error('A command cannot be run: the instance is not running.');
      throw error;
    });
  began?.(JSON.stringify({ exec: made.id, container }));
  const stream = await engine
    .wait(() => made.start({ hijack: true, stdin: false }))
    .catch((error: unknown) => {
      throw new Error(`The command cannot be run: ${saidBy(error)}`, { cause: error });
    });
  const end = () => {
    void kill(made, container).finally(() => stream.destroy());
  };
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    for await (const frame of frames(stream)) output(frame.stream, frame.bytes);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  return { code: await codeOf(engine, made) };
}

const longestEndMillis = 10_000;

/** Ends a command of an agent that is gone. One that this engine does not know any more has ended with its container. */
export async function endExec(engine: Engine, mark: string): Promise<void> {
  const { exec: id, container } = begun.parse(JSON.parse(mark));
  const made = await engine.ask(async (docker) => docker.getExec(id));
  await kill(made, container);
  // Its end is recorded a moment later; one that this agent may not end goes on.
  for (const until = performance.now() + longestEndMillis; performance.now() < until; await pause(20)) {
    const left = await engine.ask(() => made.inspect()).catch(unless(404));
    if (!left?.Running) return;
  }
  throw new Error('This agent may not end the command; it ends with its instance.');
}

/** The output can end a moment before the engine records the exit code. */
async function codeOf(engine: Engine, made: Exec): Promise<number> {
  for (;;) {
    const { Running, ExitCode } = await engine.ask(() => made.inspect());
    if (!Running) return ExitCode ?? 255;
    await pause(20);
  }
}

/**
 * Engines end no command that was begun. It is a process of this machine, and leads a group: where the agent may, and
 * where that process is indeed in the container, the group is killed. Elsewhere it is let go, and ends with its instance.
 */
async function kill(made: Exec, container: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const seen = await made.inspect().catch(() => undefined);
    if (seen === undefined || !seen.Running) return;
    const identity = identify(seen.Pid);
    if (identity !== undefined && isWithin(identity.pid, container)) {
      try {
        send(identity, 'SIGKILL');
      } catch {
        return;
      }
    } else if (seen.Pid > 0) {
      return;
    }
    await pause(20);
  }
}

export function isWithin(pid: number, container: string): boolean {
  return contentOf(`/proc/${pid}/cgroup`).includes(container);
}
