import { get } from 'node:http';
import { answerReports } from '../../engine/clients.ts';
import { readLine } from './lines.ts';

export interface LogFollowers {
  url: string;
  /** The headers of each reader. */
  headers: readonly Record<string, string>[];
}

export interface SeenByFollowers {
  /** Lines of each reader. */
  lines: number[];
  /** From writing to reading, in milliseconds, of some lines. */
  took: number[];
  failures: string[];
}

/** One of so many is read to the end: it is the API that is measured. */
const sampled = 20;

/** Readers of the log of one build, each on a connection of its own; each line must be the next one. */
async function main({ url, headers }: LogFollowers): Promise<void> {
  const lines = headers.map(() => 0);
  const took: number[] = [];
  const failures: string[] = [];
  let open = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const hear = (reader: number, frame: string): void => {
    if (!frame.startsWith('event: log')) {
      if (frame.startsWith(': refused')) failures.push(frame);
      return;
    }
    const number = Number.parseInt(frame.slice(15), 10);
    const wanted = (lines[reader] ?? 0) + 1;
    if (number !== wanted && failures.length < 10) failures.push(`Line ${number} came in place of ${wanted}.`);
    lines[reader] = number;
    if (number % sampled > 0) return;
    const line = readLine(frame);
    if (line?.number !== number) failures.push(`Event ${number} has another line.`);
    else took.push(performance.timeOrigin + performance.now() - line.at);
  };
  for (const [index, own] of headers.entries()) {
    get(url, { headers: own, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
        let from = 0;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n', from)) {
          hear(index, text.slice(from, end));
          from = end + 2;
        }
        text = text.slice(from);
      });
      open += 1;
      if (open === headers.length) resolve();
    }).on('error', (error) => failures.push(String(error)));
  }
  await promise;
  answerReports((): SeenByFollowers => ({ lines, took, failures }));
}

await main(JSON.parse(process.argv[2] ?? '{}'));
