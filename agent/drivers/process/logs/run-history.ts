import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../../../machine/files.ts';
import { type LogCursor, type LogRun, logRun, mostRuns } from '../../../../protocol/logs.ts';
import { lookAt, type Run } from '../runs.ts';

const written = z.array(logRun);

/**
 * Notes where the lines of a run begin, before it is started, and how the one before it ended: the files of old runs are
 * deleted. A run that is begun a second time, by the agent that follows a killed one, keeps its place.
 */
export function noteRun(directory: string, number: number, before: Run | undefined, from: LogCursor): void {
  const known = read(directory);
  const last = known.at(-1);
  if (before !== undefined && last?.run === before.number) known[known.length - 1] = ended(last, before, from);
  if (last === undefined || last.run < number) known.push({ run: number, from });
  writeFileAtomically(join(directory, 'history.json'), JSON.stringify(known.slice(-mostRuns)));
}

/** The runs whose beginning in the log is known, oldest first. `ends` were looked at after the last one had ended. */
export function runsOf(directory: string, seen: Run | undefined, ends: LogCursor): LogRun[] {
  const known = read(directory);
  return known.map((run, index) => {
    const next = known[index + 1];
    if (run.exit !== undefined) return run;
    const now = run.run === seen?.number ? seen : next === undefined ? undefined : lookAt(directory, run.run);
    return now === undefined ? run : ended(run, now, next?.from ?? ends);
  });
}

function ended(run: LogRun, { startedAt, exit }: Run, to: LogCursor): LogRun {
  const begun = { ...run, ...(startedAt === undefined ? {} : { startedAt: startedAt.getTime() }) };
  if (exit === undefined) return begun;
  const { run: _, at, ...how } = exit;
  return { ...begun, exit: { at: at.getTime(), ...how }, to: { ...to } };
}

function read(directory: string): LogRun[] {
  const path = join(directory, 'history.json');
  if (!existsSync(path)) return [];
  try {
    return written.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Damaged: borders are missing, lines are not.
    return [];
  }
}
