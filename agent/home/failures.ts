import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** How often the agent ended by itself since it last reached its control plane, as its launcher counts. */
export interface Failures {
  count: number;
  /** Exit code of the last failure. */
  code: number;
}

export function readFailures(home: string): Failures | undefined {
  try {
    const [count, code] = readFileSync(pathIn(home), 'utf8').split(' ').map(Number);
    return count && Number.isInteger(count) ? { count, code: Number(code) } : undefined;
  } catch {
    return undefined;
  }
}

export function forgetFailures(home: string): void {
  rmSync(pathIn(home), { force: true });
}

function pathIn(home: string): string {
  return join(home, 'run', 'failures');
}
