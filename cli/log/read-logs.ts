import { LostConnection, type Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { Borders, type RunEnd } from './borders.ts';

export interface LogLine {
  instance: string;
  stream: string;
  text: string;
  at?: string;
  run?: number;
}

interface Asked {
  rest: Rest;
  path: string;
  query: Record<string, string>;
  signal: AbortSignal;
}

/** Streams that end at once, one after the other, are not asked for more often than this. */
const againMillis = 1_000;

/**
 * Reads the log of one instance until it ends, or for as long as it is followed. A stream that is cut or closed is read on
 * behind its last event: no line is printed twice, and none is left out. Answers whether all of it was read; the reason
 * why not has been told then.
 */
export async function readLogs(
  { rest, path, query, signal }: Asked,
  id: string,
  add: (told: LogLine | RunEnd) => void,
): Promise<boolean> {
  const borders = new Borders();
  const place = `${path}/instances/${encodeURIComponent(id)}/logs/stream`;
  let asked = query;
  try {
    for (let opened = Date.now(); !signal.aborted; opened = Date.now()) {
      try {
        for await (const { event, data, id: last } of rest.events(`${place}?${new URLSearchParams(asked)}`, signal)) {
          if (last !== undefined && asked.after !== last) asked = { ...query, after: last };
          if (event === 'log') {
            borders.line();
            add({ instance: id, ...data } as LogLine);
          } else if (event === 'run') {
            const end = endOf(id, data);
            if (end !== undefined && borders.end(end)) add(end);
          }
          if (event === 'missing') say(`${printable(id)}: ${missing(data)}`);
          else if (event === 'end') {
            if (borders.rest !== undefined) add(borders.rest);
            if (typeof data.message !== 'string' || data.message === '') return true;
            say(`${printable(id)}: ${printable(data.message)}`);
            return false;
          }
        }
      } catch (error) {
        if (!(error instanceof LostConnection)) throw error;
        say(`${error.message.replace(/\.$/, '')}; the log is read on from there.`);
      }
      await new Promise((resolve) => setTimeout(resolve, opened + againMillis - Date.now()));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return true;
}

function endOf(instance: string, { run, startedAt, exit }: Record<string, unknown>): RunEnd | undefined {
  if (exit === undefined) return undefined;
  return { instance, run, startedAt, exit, at: (exit as RunEnd['exit']).at } as RunEnd;
}

function missing({ stream, from, to }: Record<string, unknown>): string {
  return `Lines of ${stream} are missing here (positions ${from} to ${to}): they were deleted before they could be read.`;
}

function say(message: string): void {
  process.stderr.write(`ballast: ${message}\n`);
}
