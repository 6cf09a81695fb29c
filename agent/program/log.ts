import { writeLine } from '../../machine/line-output.ts';

/** Where the agent says what it does; never with a secret in it. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

/** Lines with their time, on standard error: the launcher's log or the journal of the system. */
export const lineLog: Log = {
  info: (message) => write('info', message),
  warn: (message) => write('warn', message),
};

function write(level: string, message: string): void {
  writeLine(`${new Date().toISOString()} ${level} ${message.replaceAll('\n', ' ')}`);
}

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
