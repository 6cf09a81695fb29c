import type { Logger as SdkLogger } from '@temporalio/worker';
import type { Logger } from 'pino';
import { openProgramLog } from '../../machine/program-log.ts';

export function openLog(level: string): Logger {
  return openProgramLog({ process: 'worker', level, gather: false });
}

/**
 * Log lines of Temporal's SDK and of actors, in our format: the interceptors have added actor and request id. Lines of the
 * SDK's native half name a run only; which actor's it is was told in an earlier line, of a level that may not be logged.
 */
export function sdkLog(log: Logger): SdkLogger {
  const actors = new Map<string, string>();
  const say = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, more?: object) => {
    const { error, failure, ...line }: SdkLine = more ?? {};
    const { runId, workflowId } = line;
    if (runId !== undefined && workflowId !== undefined) remember(actors, runId, workflowId);
    const actor = workflowId ?? (runId === undefined ? undefined : actors.get(runId));
    const fault = typeof failure === 'string' ? messageOf(failure) : undefined;
    log[level](
      {
        ...line,
        ...(actor === undefined ? {} : { actor }),
        ...(fault === undefined ? {} : { fault }),
        ...(error === undefined ? {} : { err: error }),
      },
      message,
    );
  };
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
  return {
    log: (level, message, more) => say(levels[level])(message, more),
    trace: say('trace'),
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
  };
}

interface SdkLine {
  error?: unknown;
  failure?: unknown;
  runId?: string;
  workflowId?: string;
}

/** More than a worker keeps in its memory. */
const mostRuns = 1_000;

function remember(actors: Map<string, string>, runId: string, actor: string): void {
  actors.delete(runId);
  actors.set(runId, actor);
  const [oldest] = actors.keys();
  if (actors.size > mostRuns && oldest !== undefined) actors.delete(oldest);
}

/** Of a failure as the native half prints it, payloads included. One that is encrypted has no message that says anything. */
function messageOf(failure: string): string | undefined {
  const message = /message: "((?:[^"\\]|\\.){1,500})/.exec(failure)?.[1];
  return message === 'Encoded failure' ? undefined : message;
}
