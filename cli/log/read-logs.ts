import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export interface LogLine {
  instance: string;
  stream: string;
  text: string;
  at?: string;
}

interface Asked {
  rest: Rest;
  path: string;
  query: Record<string, string>;
  signal: AbortSignal;
}

/** Reads the log of one instance until it ends, or for as long as it is followed. */
export async function readLogs(
  { rest, path, query, signal }: Asked,
  id: string,
  add: (line: LogLine) => void,
): Promise<void> {
  const place = `${path}/instances/${encodeURIComponent(id)}/logs/stream`;
  let asked = query;
  try {
    for (;;) {
      for await (const { event, data } of rest.events(`${place}?${new URLSearchParams(asked)}`, signal)) {
        if (event === 'end') {
          if (typeof data.message === 'string' && data.message !== '') {
            process.stderr.write(`ballast: ${printable(data.message)}\n`);
          }
          return;
        }
        if (event === 'log') add({ instance: id, ...data } as LogLine);
      }
      if (query.follow !== 'true') return;
      process.stderr.write('ballast: The stream was closed and is being reopened; some lines may be missing.\n');
      asked = { ...query, tail: '0' };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
