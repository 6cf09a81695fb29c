import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readHome } from '../../runtime/home/home.ts';
import { freePorts } from '../../runtime/sockets/ports.ts';
import { readRunRecord } from '../../runtime/supervisor/run-record.ts';
import { removeHome } from '../../test/ground/remove-home.ts';
import type { Benchmark, Figures, Opened } from '../engine/benchmark.ts';
import { end, surroundings } from '../engine/node-process.ts';
import { residentMegabytes } from '../engine/resident-memory.ts';
import { temporaryDirectory } from '../ground/ground.ts';

const cold = 'first start';
const warm = 'start';
const temporal = 'memory of Temporal';
const postgres = 'memory of PostgreSQL';

/** The Temporal server is cached and the packages are installed: what a person waits for, building aside. */
export const startUp: Benchmark = {
  name: 'start-up',
  what: 'from the command until all is ready, against a bare stack on the same PostgreSQL and Temporal',
  rows: [
    { name: cold, unit: 's', better: 'less', most: 20 },
    { name: warm, unit: 's', better: 'less', most: 6 },
    { name: temporal, unit: 'MB', better: 'less' },
    { name: postgres, unit: 'MB', better: 'less' },
  ],
  open,
};

interface Command {
  file: string;
  args: string[];
  /** The line that tells readiness. */
  ready: string;
}

async function open(): Promise<Opened> {
  const bare = { file: process.execPath, args: ['--disable-warning=ExperimentalWarning', 'bench/reference/stack.ts'] };
  return {
    reference: () => startTwice({ ...bare, ready: 'ready' }),
    subject: () => startTwice({ file: './ballast', args: ['up'], ready: 'Ballast is ready' }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Once in an empty home, and once more in the same. */
async function startTwice(command: Command): Promise<Figures> {
  const directory = temporaryDirectory();
  const home = join(directory, 'home');
  try {
    const first = await startOnce(command, home, () => ({}));
    const second = await startOnce(command, home, () => memoryOfParts(home));
    return { [cold]: first.seconds, [warm]: second.seconds, ...second.figures };
  } finally {
    removeHome(home);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startOnce(
  { file, args, ready }: Command,
  home: string,
  look: () => Figures,
): Promise<{ seconds: number; figures: Figures }> {
  const { port } = await freePorts(['port'], {});
  const began = performance.now();
  const child = spawn(file, args, {
    cwd: new URL('../..', import.meta.url),
    env: { ...surroundings(), BALLAST_HOME: home, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    await printed(child, ready);
    const seconds = (performance.now() - began) / 1000;
    return { seconds, figures: look() };
  } finally {
    await end(child, 'SIGINT');
  }
}

function printed(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
      if (output.includes(text)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`It ended before it was ready:\n${output}`)));
  });
}

function memoryOfParts(home: string): Figures {
  const parts = readRunRecord(readHome(home))?.parts;
  const [temporalServer, postgresServer] = [parts?.temporal, parts?.postgres];
  if (temporalServer === undefined || postgresServer === undefined) throw new Error(`${home} has no running parts.`);
  return { [temporal]: residentMegabytes(temporalServer.pid), [postgres]: residentMegabytes(postgresServer.pid) };
}
