import { readFileSync, writeFileSync } from 'node:fs';
import type { FileResult } from '../closing.ts';

/** Seconds by file, those of a whole run on two idle processors; files that take less than two are not kept. */
export type Times = Readonly<Record<string, number>>;

const path = new URL('times.json', import.meta.url);

export function readTimes(): Times {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Keeps what was known of files that did not run this time, where they still exist. */
export function writeTimes(results: readonly FileResult[]): void {
  const times: Record<string, number> = { ...readTimes() };
  for (const { file, seconds } of results) {
    if (seconds < 2) delete times[file];
    else times[file] = Math.round(seconds);
  }
  const sorted = Object.fromEntries(Object.entries(times).sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(path, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
