import { readdirSync, readFileSync } from 'node:fs';
import { identify, type ProcessIdentity } from './process-identity.ts';

export interface MarkedProcess extends ProcessIdentity {
  value: string;
}

/**
 * The processes that were started with this environment variable, or by such a process, and the value they got. Only Linux
 * tells, and only of processes of the same user, or to root; elsewhere none are found.
 */
export function markedProcesses(name: string): MarkedProcess[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .flatMap((pid) => {
      const value = variableOf(pid, name);
      const found = value === undefined ? undefined : identify(pid);
      return value === undefined || found === undefined ? [] : { ...found, value };
    });
}

function variableOf(pid: number, name: string): string | undefined {
  try {
    const all = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return all.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  } catch {
    return undefined;
  }
}
