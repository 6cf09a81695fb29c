import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LogFile } from '../../agent/drivers/process/logs/log-file.ts';
import { readLogs } from '../../agent/drivers/process/logs/logs.ts';
import { type Sending, sendLog } from '../../agent/logs/log-senders.ts';
import { EventBatch, frameText } from '../../api/engine/streams/frames.ts';
import { merged } from '../../api/engine/streams/merged.ts';
import { presentLine } from '../../api/logs/log-line.ts';
import { cursorText, LogReader } from '../../api/logs/log-reader.ts';
import { logBatch } from '../../protocol/logs.ts';
import type { Benchmark, Opened } from '../engine/benchmark.ts';

const count = 300_000;
const heartbeatMillis = 5_000;
const row = 'CPU of 10,000 lines of a log, from the file to the event stream';

/** Both programs in one process, without network and database: what each line costs, however it travels. */
export const logs: Benchmark = {
  name: 'logs',
  what: 'a log that is followed, through agent and API, against reading its lines and writing each as an event',
  rows: [{ name: row, unit: 'ms', better: 'less', mostBeside: () => 250 }],
  open,
};

async function open(): Promise<Opened> {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-bench-logs-'));
  const files = { stdout: new LogFile(join(directory, 'stdout')), stderr: new LogFile(join(directory, 'stderr')) };
  const lines = Array.from(
    { length: count },
    (_, number) => `line ${number} of a log that is written faster than most`,
  );
  writeFileSync(files.stdout.path, `${lines.join('\n')}\n`);
  writeFileSync(files.stderr.path, '');
  return {
    reference: async () => ({ [row]: await cpuOf(() => bare(files.stdout.path)) }),
    subject: async () => ({ [row]: await cpuOf(() => throughBoth(files)) }),
    async [Symbol.asyncDispose]() {
      rmSync(directory, { recursive: true });
    },
  };
}

async function cpuOf(work: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const told = await work();
  const { user, system } = process.cpuUsage(before);
  if (told !== count) throw new Error(`${told} of ${count} lines arrived.`);
  return (user + system) / 1_000 / (count / 10_000);
}

async function bare(path: string): Promise<number> {
  let told = 0;
  for await (const text of createInterface({ input: createReadStream(path) })) {
    frameText({ event: 'log', data: { stream: 'stdout', text, at: new Date().toISOString() }, id: String(told) });
    told += 1;
  }
  return told;
}

async function throughBoth(files: { stdout: LogFile; stderr: LogFile }): Promise<number> {
  const { signal } = new AbortController();
  const id = '00000000-0000-4000-8000-000000000000';
  const cluster = { id, organizationId: id };
  const reader = new LogReader({ id, cluster, instance: 'web' }, { follow: false });
  const driver: Sending['driver'] = {
    logs: (_, request) => readLogs(files, request, { last: () => undefined, all: () => [] }),
  };
  const post: Sending['post'] = async (_, batch) => {
    const sent = JSON.stringify(batch);
    if (!(await reader.room(1_000))) return { taken: false };
    reader.take(logBatch.parse(JSON.parse(sent)));
    return { taken: true };
  };
  const sending = { driver, post, holdsLeases: () => true, lingerMillis: () => 1, signal };
  const sent = sendLog({ id, instance: 'web', follow: false }, sending);
  let told = 0;
  async function* events() {
    for await (const one of reader.read(30_000, signal)) {
      if (!('line' in one)) continue;
      yield { event: 'log', data: presentLine(one.line), id: cursorText(one.cursor) };
      told += 1;
    }
  }
  for await (const frame of merged(events(), heartbeatMillis, signal))
    if (!(frame instanceof EventBatch)) frameText(frame);
  await sent;
  return told;
}
