import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { answerReports } from '../../engine/clients.ts';

export interface Streams {
  url: string;
  /** The headers of each stream. */
  headers: readonly Record<string, string>[];
}

export interface SeenByStreams {
  open: number;
  /** When each stream was told a message, in milliseconds since 1970. */
  told: Record<string, number[]>;
  failures: string[];
}

/** Readers of one deployment, each on a connection of its own. */
async function main({ url, headers }: Streams): Promise<void> {
  const told: Record<string, number[]> = {};
  const failures: string[] = [];
  let open = 0;
  const hear = (frame: string): void => {
    const at = performance.timeOrigin + performance.now();
    if (frame.startsWith(': refused')) failures.push(frame);
    if (!frame.startsWith('event: state')) return;
    const { message } = JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as { message: string };
    const times = told[message] ?? [];
    times.push(at);
    told[message] = times;
  };
  for (const [index, own] of headers.entries()) {
    get(url, { headers: own, agent: false }, (answer) => {
      open += 1;
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        const frames = (text + chunk).split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) hear(frame);
      });
    }).on('error', (error) => failures.push(String(error)));
    // As many at once as a server accepts without a queue.
    if (index % 20 === 0) await pause(5);
  }
  while (failures.length === 0 && (told['']?.length ?? 0) < headers.length) await pause(20);
  answerReports((): SeenByStreams => ({ open, told, failures }));
}

await main(JSON.parse(process.argv[2] ?? '{}'));
