import type { Process } from '../../../protocol/workload.ts';

/** How a schedule is called where it is remembered: another one is new. */
export function scheduleKey(key: string, { name, schedule, timeZone }: Process): string {
  return `${processKey(key, name)} ${schedule} ${timeZone}`;
}

/** How a process of a slice is called where things are remembered by it. */
export function processKey(key: string, process: string): string {
  return `${key} ${process}`;
}
