import type { CommandResult } from '../../protocol/command.ts';

/** One execution of a command. */
export interface Run {
  id: string;
  /** How often it was started, this time included. */
  starts: number;
  output(stream: 'stdout' | 'stderr' | 'progress', bytes: Buffer): void;
  /** Written down before the program begins. */
  began(mark: string): void;
  /** Aborted when the command is cancelled or the agent stops. */
  signal: AbortSignal;
}

export type RunResult = Omit<CommandResult, 'attempt'>;
