import { durationText } from '../times/durations.ts';
import type { LogRow, Missing, RunEnd } from './rows.ts';

/** "1,200 lines", "1 line". */
export function linesText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}`;
}

/** "Run 4 · exited with code 1 after 2.3 s". */
export function endText({ run, code, signal, outOfMemory, startedAt, at }: RunEnd): string {
  const after = startedAt === undefined ? '' : ` after ${durationText(Math.max(0, at - startedAt))}`;
  if (outOfMemory) return `Run ${run} · killed for exceeding its memory limit${after}`;
  if (signal !== undefined) return `Run ${run} · ended by ${signal}${after}`;
  return code === undefined
    ? `Run ${run} · ended, nobody saw how${after}`
    : `Run ${run} · exited with code ${code}${after}`;
}

export function missingText({ stream, from, to }: Missing): string {
  const [first, last] = [from, to].map((position) => position.toLocaleString('en'));
  return `Lines of ${stream} are missing here (positions ${first} to ${last}): the machine deleted them to make room before they were read.`;
}

/** Rows as a file has them: times in UTC, so that files of two readers agree. */
export function logText(rows: readonly LogRow[], { times, named }: { times: boolean; named: boolean }): string {
  return rows
    .map((row) => {
      const said = row.kind === 'line' ? row.text : `--- ${row.kind === 'end' ? endText(row) : missingText(row)}`;
      const time = times ? `${new Date(row.at).toISOString()} ` : '';
      return `${time}${named ? `${row.channel} ` : ''}${said}\n`;
    })
    .join('');
}
