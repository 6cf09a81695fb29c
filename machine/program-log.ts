import { type Logger, type LoggerOptions, pino } from 'pino';
import { redaction } from '../domain/redaction.ts';
import { fullDisk } from './full-disk.ts';
import { LineWriter } from './line-writer.ts';

/** A disk that stays full is one line a minute, however many writes it fails. */
const quietMillis = 60_000;

interface ProgramLog {
  process: string;
  level: string;
  /** A write for each line would be a tenth of what a request costs. */
  gather: boolean;
  /** The descriptor of the log, standard output otherwise. */
  fd?: number;
}

/** The log of a program, as lines of JSON. A log on a full disk ends no program: the lines come when there is room, or are counted. */
export function openProgramLog({ process: name, level, gather, fd = 1 }: ProgramLog): Logger {
  const out = new LineWriter({
    ...{ fd, gather },
    onRoom: (since, missing) =>
      log.warn(
        { missing },
        `The disk of this log was full since ${since.toISOString()} and has room again: ${missing} lines are missing.`,
      ),
  });
  const log = pino({ level, base: { process: name, pid: process.pid }, redact: redaction, hooks: hooks() }, out);
  return log;
}

function hooks(): NonNullable<LoggerOptions['hooks']> {
  const said = new Map<string, number>();
  return {
    logMethod(given, method) {
      const [first, what] = given as [unknown, unknown];
      const full = fullDisk(first instanceof Error ? first : errorOf(first));
      if (full === undefined) return method.apply(this, given);
      const now = performance.now();
      if (now - (said.get(full.disk) ?? Number.NEGATIVE_INFINITY) < quietMillis) return;
      if (said.size > 100) said.clear();
      said.set(full.disk, now);
      const during = typeof what === 'string' ? { during: what } : {};
      // No stack: the place that failed first is no defect.
      method.call(this, during as never, full.sentence as never);
    },
  };
}

function errorOf(line: unknown): unknown {
  return typeof line === 'object' && line !== null && 'err' in line ? line.err : undefined;
}
