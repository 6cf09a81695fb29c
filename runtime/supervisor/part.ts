import type { Home } from '../home/home.ts';

/** One of the processes that make up an installation. */
export interface Part {
  name: 'postgres' | 'temporal' | 'worker' | 'identity' | 'api' | 'agent';
  /** As people know it: `PostgreSQL 18.4`. */
  title: string;
  /** Done before each start, the first one and those after a crash. */
  prepare(): Promise<void>;
  command(): Command;
  /** Whether it can be used now. Called again and again until it says yes. */
  ready(): Promise<boolean>;
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
}

export function logPath(home: Home, part: Part['name']): string {
  return home.file('logs', `${part}.log`);
}
