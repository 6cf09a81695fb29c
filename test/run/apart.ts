import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify } from '../../machine/process-identity.ts';

/**
 * A Docker engine changes the network of the machine, and a browser then cuts what is under way (ERR_NETWORK_CHANGED). One that
 * starts or stops takes the rules of another one's networks away.
 */
export type Kind = 'browser' | 'engine';
/** Of a test that needs an engine and a browser which bears with it. */
const both = 'both';

/** A test that needs both lets all others of the run begin before it, and they take minutes. */
const longestWait = { browser: 540_000, engine: 540_000, [both]: 2_400_000 };

/** Of a kind those that it does not bear beside it; browsers bear each other. */
const disturbing = { browser: ['engine', both], engine: ['browser', 'engine', both] };

/** Waits until no other test of this run uses what disturbs this kind, and keeps that away until the answer is called. */
export async function apart(kind: Kind, directory = join(tmpdir(), 'apart')): Promise<() => void> {
  // This very test keeps all others of both kinds away already.
  if (existsSync(directory) && readdirSync(directory).some((name) => name.startsWith(ownOf(both))))
    return () => undefined;
  return await alone(kind, disturbing[kind], directory);
}

/** The same for a test that needs both kinds: what it begins of them until the answer is called waits for nothing more. */
export async function apartFromAll(directory = join(tmpdir(), 'apart')): Promise<() => void> {
  return await alone(both, ['browser', 'engine', both], directory);
}

async function alone(kind: Kind | typeof both, others: readonly string[], directory: string): Promise<() => void> {
  mkdirSync(directory, { recursive: true });
  const own = ownOf(kind);
  used += 1;
  // One for each use: the end of the first browser of a process does not tell the end of its second.
  const path = join(directory, `${own}${used}`);
  for (const deadline = Date.now() + longestWait[kind]; ; ) {
    writeFileSync(path, '');
    // Both say so first and look then: two that begin at once may both step back, and not both go on.
    const [first] = usedBy(directory, others).filter((name) => !name.startsWith(own));
    if (first === undefined) return () => rmSync(path, { force: true });
    rmSync(path);
    if (Date.now() > deadline) throw new Error(`A test of kind ${first} holds off one of kind ${kind}.`);
    await pause(100 + Math.random() * 400);
  }
}

let used = 0;

/** Begins the names of the files by which this process says that it uses a kind. */
function ownOf(kind: Kind | typeof both): string {
  return `${kind}-${process.pid}-`;
}

/** One that was killed with its test holds nobody off. */
function usedBy(directory: string, kinds: readonly string[]): string[] {
  return readdirSync(directory).filter((name) => {
    const [of = '', pid] = name.split('-');
    return kinds.includes(of) && identify(Number(pid)) !== undefined;
  });
}
