import { closeSync, openSync, readFileSync, readlinkSync, readSync, writeSync } from 'node:fs';
import { type Debugger, Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import type { Watched } from './watchdog.ts';

/**
 * Beside the agent's own thread: looks whether that still goes on, and says what holds it. Nothing here may wait for the other
 * thread, which is why lines are written by ourselves. Ticks are counted, not time: a machine that slept has held nobody.
 */
const { beats, tickMillis, toldAfter, endedAfter } = workerData as Watched;
const seen = new Int32Array(beats);
let last = -1;
let silent = 0;

setInterval(() => {
  const now = Atomics.load(seen, 0);
  silent = now === last ? silent + 1 : 0;
  last = now;
  if (silent === toldAfter)
    void whatHolds().then((what) => say(`The agent has been held for ${seconds(toldAfter)} by ${what}.`));
  if (silent === endedAfter) {
    say(`The agent has been held for ${seconds(endedAfter)} and is ended, to be started again.`);
    process.kill(process.pid, 'SIGKILL');
  }
}, tickMillis);

function seconds(ticks: number): string {
  return `${Math.round((ticks * tickMillis) / 1_000)} s`;
}

function say(line: string): void {
  writeSync(2, `${new Date().toISOString()} warn ${line}\n`);
}

async function whatHolds(): Promise<string> {
  return heldByKernel() ?? (await heldByCode()) ?? 'something that cannot be seen';
}

const calls: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  x64: {
    0: 'read',
    1: 'write',
    2: 'open',
    17: 'pread64',
    18: 'pwrite64',
    61: 'wait4',
    74: 'fsync',
    75: 'fdatasync',
    202: 'futex',
    247: 'waitid',
    257: 'openat',
  },
  arm64: {
    56: 'openat',
    63: 'read',
    64: 'write',
    67: 'pread64',
    68: 'pwrite64',
    82: 'fsync',
    83: 'fdatasync',
    95: 'waitid',
    98: 'futex',
    260: 'wait4',
  },
};
const ofDescriptor = new Set(['read', 'write', 'pread64', 'pwrite64', 'fsync', 'fdatasync']);

/** The call of the kernel in which the thread waits, with its file; undefined while it computes. */
function heldByKernel(): string | undefined {
  try {
    // The first thread has the number of the process.
    const [number = '', ...args] = readFileSync(`/proc/self/task/${process.pid}/syscall`, 'latin1').trim().split(' ');
    if (!/^\d+$/.test(number)) return undefined;
    const name = calls[process.arch]?.[Number(number)] ?? `call ${number} of the kernel`;
    if (name === 'open' || name === 'openat')
      return `${name} of ${JSON.stringify(textAt(args[name === 'open' ? 0 : 1]))}`;
    return ofDescriptor.has(name) ? `${name} of ${readlinkSync(`/proc/self/fd/${Number(args[0])}`)}` : name;
  } catch {
    return undefined;
  }
}

function textAt(address = '0x0'): string {
  const bytes = Buffer.alloc(4_096);
  // A text ends before the page that is not there.
  const most = 4_096 - Number(BigInt(address) % 4_096n);
  const memory = openSync('/proc/self/mem', 'r');
  try {
    const length = readSync(memory, bytes, 0, most, BigInt(address));
    return bytes.subarray(0, length).toString().split('\0')[0] ?? '';
  } finally {
    closeSync(memory);
  }
}

/** The functions that run, the innermost first. */
async function heldByCode(): Promise<string | undefined> {
  const session = new Session();
  session.connectToMainThread();
  const files = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, params.url.split('/').at(-1) ?? ''));
  try {
    return await new Promise<string | undefined>((resolve) => {
      setTimeout(() => resolve(undefined), ((endedAfter - toldAfter) / 2) * tickMillis);
      session.once('Debugger.paused', ({ params }) => {
        const frames = params.callFrames.slice(0, 6).map((frame) => framed(frame, files));
        resolve(frames.join(' < '));
        session.post('Debugger.resume');
      });
      session.post('Debugger.enable');
      session.post('Debugger.pause');
    });
  } finally {
    session.post('Debugger.disable');
    session.disconnect();
  }
}

function framed({ functionName, location }: Debugger.CallFrame, files: ReadonlyMap<string, string>): string {
  return `${functionName || 'a function'} (${files.get(location.scriptId) ?? ''}:${location.lineNumber + 1})`;
}
