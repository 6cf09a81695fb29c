import type { Line } from '../../../components/log/rows.ts';
import { type LogNews, LogRefused, type LogSource, type Piece } from '../../../components/log/source.ts';
import { plainText } from '../../../components/log/terminal.ts';
import { type Frame, frames } from '../../../live/event-stream.ts';

/** The one channel of a build's log. */
export const channel = 'log';

/** The log as its source reads it; asked again whenever it matters, since lines come all the time. */
export interface LogExtent {
  lines: number;
  /** Nothing is added any more. */
  over: boolean;
}

interface BuildLogOf {
  /** For a downloaded file. */
  name: string;
  extent: () => Promise<LogExtent>;
  /** The stream of lines behind the number, until the build is over or its time is. */
  stream: (after: number, signal: AbortSignal) => AsyncIterable<Frame>;
}

/** The log of a build, of which parts are read: the last lines, those behind a number, and those up to one. */
export function buildLogSource({ name, extent, stream }: BuildLogOf): LogSource {
  return {
    name,
    async *follow(channels, tail, signal) {
      const place = channels.get(channel);
      const { lines } = await extent();
      let last = place === undefined ? Math.max(0, lines - tail) : numberOf(place);
      for await (const frame of stream(last, signal)) {
        const row = rowOf(frame);
        if (row !== undefined) {
          last = row.number ?? last;
          yield { row };
        } else yield { alive: true };
      }
      // A stream ends with its build, and after a while by itself.
      const now = await extent();
      if (now.over && last >= now.lines) yield { end: channel, why: '' } satisfies LogNews;
    },
    async before(_, place, count, signal): Promise<Piece> {
      const { lines } = await extent();
      const last = Math.min(numberOf(place), lines);
      const after = Math.max(0, last - count);
      const rows: Line[] = [];
      if (last > after) {
        for await (const frame of stream(after, signal)) {
          const row = rowOf(frame);
          if (row !== undefined) rows.push(row);
          if (row !== undefined && (row.number ?? 0) >= last) break;
        }
      }
      return { rows, isFirst: after === 0 };
    },
  };
}

/** The frames of a build's stream; a refusal is thrown. */
export async function* readBuildLog(
  { organizationId, buildId }: { organizationId: string; buildId: string },
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const answer = await fetch(`/api/v1/builds/${encodeURIComponent(buildId)}/logs/stream?after=${after}`, {
    headers: { accept: 'text/event-stream', 'x-svc-organization': organizationId },
    cache: 'no-store',
    signal,
  });
  if (!answer.ok || answer.body === null) throw new LogRefused(`The control plane answered ${answer.status}.`);
  for await (const frame of frames(answer.body)) {
    if (frame.comment?.startsWith('refused:')) throw new LogRefused(`The log is refused: ${frame.comment.slice(8)}.`);
    yield frame;
  }
}

function rowOf({ event, data }: Frame): Line | undefined {
  if (event !== 'log') return undefined;
  const { at, seq, text } = JSON.parse(data) as { at: string; seq: number; text: string };
  const plain = plainText(text);
  return {
    ...{ kind: 'line', id: idOf(seq), channel, place: placeOf(seq), at: Date.parse(at), stream: 'stdout' },
    ...{ text: plain, number: seq },
    ...(plain === text ? {} : { raw: text }),
  };
}

const idOf = (number: number) => `${channel}~${number}`;
const placeOf = (number: number) => `${number}.0`;
const numberOf = (place: string) => Number(place.split('.')[0]);

/** A line of the view as the end of an address has it: `L120`. */
export function hashOf(line: string | undefined): string | undefined {
  const [, number] = /^log~(\d{1,9})@/.exec(line ?? '') ?? [];
  return number === undefined ? undefined : `L${number}`;
}

/** Anybody may have typed it. */
export function lineOf(hash: string): string | undefined {
  const [, number] = /^L(\d{1,9})$/.exec(hash) ?? [];
  return number === undefined || Number(number) === 0
    ? undefined
    : `${idOf(Number(number))}@${placeOf(Number(number))}`;
}
