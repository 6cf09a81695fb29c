import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify } from '../../machine/process-identity.ts';

/** A Docker engine changes the network of the machine, and a browser then cuts what is under way (ERR_NETWORK_CHANGED). */
export type Kind = 'browser' | 'engine';

const longestWait = 540_000;

/**
 * Waits until no test of this run uses the other kind, and keeps that one away until the answer is called. Any number of
 * one kind may run beside each other.
 */
export async function apart(kind: Kind, directory = join(tmpdir(), 'apart')): Promise<() => void> {
  const other: Kind = kind === 'browser' ? 'engine' : 'browser';
  mkdirSync(directory, { recursive: true });
  const own = join(directory, `${kind}-${process.pid}`);
  for (const deadline = Date.now() + longestWait; ; ) {
    writeFileSync(own, '');
    // Both say so first and look then: two that begin at once may both step back, and not both go on.
    if (!usedBy(directory, other)) return () => rmSync(own, { force: true });
    rmSync(own);
    if (Date.now() > deadline) throw new Error(`A test that needs a ${other} holds off one that needs a ${kind}.`);
    await pause(100 + Math.random() * 400);
  }
}

/** One that was killed with its test holds nobody off. */
function usedBy(directory: string, kind: Kind): boolean {
  return readdirSync(directory).some((name) => {
    const [of, pid] = name.split('-');
    return of === kind && identify(Number(pid)) !== undefined;
  });
}
