import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../machine/files.ts';
import { identify, isAlive, type ProcessIdentity, signal } from '../../machine/process-identity.ts';
import { pause } from '../link/back-off.ts';

const record = z.object({ pid: z.int(), started: z.string() });

/** The agent of this home that runs now, if one does. */
export function runningAgent(home: string): ProcessIdentity | undefined {
  try {
    const holder = record.parse(JSON.parse(readFileSync(join(home, 'run', 'agent.json'), 'utf8')));
    return isAlive(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** Stops an agent, by force after five seconds. Its instances keep running. */
export async function endAgent(agent: ProcessIdentity): Promise<void> {
  signal(agent, 'SIGTERM');
  const end = performance.now() + 5000;
  while (isAlive(agent) && performance.now() < end) await pause(50);
  signal(agent, 'SIGKILL');
  while (isAlive(agent)) await pause(20);
}

/**
 * Makes this process the one agent of its home. An earlier one that still lives ends: its launcher may have died, and of
 * two the later one is wanted.
 */
export async function becomeSoleAgent(home: string): Promise<{ release(): void }> {
  const path = join(home, 'run', 'agent.json');
  const own = identify(process.pid);
  if (own === undefined) throw new Error('This process cannot be found in the list of processes; is /proc mounted?');
  const isOwn = () => runningAgent(home)?.pid === own.pid;
  while (!isOwn()) {
    const other = runningAgent(home);
    if (other !== undefined) await endAgent(other);
    writeFileAtomically(path, JSON.stringify(own));
    // Another one that starts at this very moment overwrites it or is overwritten: the last one stays.
    await pause(100);
  }
  return {
    release: () => {
      if (isOwn()) rmSync(path, { force: true });
    },
  };
}
