import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Milliseconds on the machine for which the waits of the tests are written: two idle processors. */
const reference = { compute: 60, start: 40, flush: 3 };
const referenceProcessors = 2;
/** A wait that is longer than this ends a run rather than a test. */
const mostPatience = 30;

/**
 * By how much this machine is slower now than the one for which waits are written: the worst of computing, starting a
 * process and flushing a file, never below 1. Takes about a second.
 */
export function slowness(): number {
  const seen = { compute: usual(5, compute), start: usual(5, start), flush: flushes() };
  const worst = Math.max(
    ...(Object.keys(reference) as (keyof typeof reference)[]).map((one) => seen[one] / reference[one]),
  );
  const crowd = Math.max(1, referenceProcessors / availableParallelism());
  return Math.min(mostPatience, Math.max(1, worst * crowd));
}

/** Measured once a run, by the process that begins it; its workers inherit it. */
export function measurePatience(): string {
  runs[key] ??= slowness().toFixed(1);
  return runs[key];
}

/** Vitest loads its settings once more for each project. */
const key = Symbol.for('the patience of this run of the tests');
const runs = globalThis as { [key]?: string };

/** Every limit of a wait is multiplied by it. No limit is an assertion: it only ends what waits in vain. */
export const patience = Math.max(1, Number(process.env.TEST_PATIENCE ?? 1));

/** Milliseconds or seconds that a wait may take here. */
export function patient(limit: number): number {
  return Math.ceil(limit * patience);
}

/** The state of the machine, for the message of a wait that has ended in vain. */
export function loadNow(): string {
  const [minute = 0] = loadavg();
  return `load ${minute.toFixed(1)} on ${availableParallelism()} processors, patience ${patience}`;
}

function compute(): void {
  const hash = createHash('sha256');
  const block = Buffer.alloc(1 << 20);
  for (let round = 0; round < 32; round++) hash.update(block);
  let sum = 0;
  for (let i = 0; i < 2e6; i++) sum = (sum + i * i) % 1_000_003;
  if (sum < 0) throw new Error('A sum of squares is not negative.');
}

function start(): void {
  execFileSync(process.execPath, ['-e', '0'], { env: {}, stdio: 'ignore' });
}

function flushes(): number {
  const directory = mkdtempSync(join(tmpdir(), 'ballast-flush-'));
  const file = openSync(join(directory, 'file'), 'w');
  try {
    return usual(5, () => {
      writeSync(file, 'x'.repeat(4096));
      fsyncSync(file);
    });
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true });
  }
}

/** The median of some runs: other programs that keep this machine busy count, one that passes by does not. */
function usual(times: number, work: () => void): number {
  const taken = Array.from({ length: times }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
  return taken.sort((a, b) => a - b)[times >> 1] ?? 0;
}
