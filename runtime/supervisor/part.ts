import type { Home } from '../home/home.ts';

/** One of the processes that make up an installation. */
export interface Part {
  name: 'postgres' | 'temporal' | 'worker' | 'identity' | 'api' | 'agent';
  /** As people know it: `PostgreSQL 18.4`. */
  title: string;
  /** Done before each start, the first one and those after a crash. */
  prepare(): Promise<void>;
  command(): Command;
  /**
   * Whether it can be used now, called again and again until it says yes. `told`: the part says so itself, on a pipe that
   * nobody but our child has (`readyFd`). An answer at a port proves nothing: anybody may give it.
   */
  ready: 'told' | (() => Promise<boolean>);
  stopSignal: NodeJS.Signals;
  /** When there is no time left for `stopSignal`, but still some to be kinder than -9. */
  hurrySignal: NodeJS.Signals;
}

export interface Command {
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The user to run as, when it is not ours. */
  user?: { uid: number; gid: number } | undefined;
  /** Descriptors of ours that it inherits, from `firstSocketFd` on. */
  sockets?: readonly number[];
}

/** Where a part that tells when it is ready finds the pipe, and where those begin that it inherits besides. */
export const readyFd = 3;
export const firstSocketFd = 4;

export function logPath(home: Home, part: Part['name']): string {
  return home.file('logs', `${part}.log`);
}
