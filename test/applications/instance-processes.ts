import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from '../../machine/process-identity.ts';
import type { ShownInstance } from './applications.ts';

/** A run of an instance as the API shows it. */
export type ShownRun = Pick<ShownInstance, 'id' | 'run' | 'startedAt'>;

export interface Known {
  instances: ShownRun[];
  /** By instance: the process of each of its runs, by id and beginning, and whether it is there. */
  processes: Record<string, string[]>;
}

/** Instances as the API shows them, with what the agent's home and the system say of their processes. */
export function known(agentHome: string, shown: readonly ShownInstance[]): Known {
  const instances = shown.map(({ id, run, startedAt }) => ({ id, run, startedAt }));
  instances.sort((one, other) => (one.id < other.id ? -1 : 1));
  const ids = instances.map(({ id }) => id);
  return { instances, processes: processesOf(agentHome, ids) };
}

function processesOf(agentHome: string, ids: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(ids.map((id) => [id, runsOf(join(agentHome, 'instances', id, 'runs'))]));
}

/** All runs, so that one more is seen, too. */
function runsOf(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .sort()
    .map((run) => {
      const file = join(directory, run, 'child');
      const child = existsSync(file) ? readFileSync(file, 'utf8').trim() : 'without a process';
      const pid = Number(/\d+/.exec(child)?.[0]);
      return `run ${run}: ${child}, ${identify(pid)?.started ?? 'gone'}`;
    });
}

export interface Watch {
  end(): { looks: number; changes: string[] };
}

/** Between two looks. Short beside the time that a process takes to be replaced. */
const pauseMilliseconds = 50;

/**
 * Looks at the processes of instances again and again, and keeps each difference from the first look: a process that ended,
 * another one, one more run. `end` answers them; none may be there.
 */
export function watchProcesses(agentHome: string, ids: readonly string[]): Watch {
  const first = JSON.stringify(processesOf(agentHome, ids));
  const changes = new Set<string>();
  let looks = 1;
  if (ids.length === 0 || first.includes('gone') || first.includes('without')) changes.add(`not whole: ${first}`);
  const look = (): void => {
    looks += 1;
    const now = JSON.stringify(processesOf(agentHome, ids));
    if (now !== first) changes.add(`${first} -> ${now}`);
  };
  const looking = setInterval(look, pauseMilliseconds);
  return {
    end() {
      clearInterval(looking);
      look();
      return { looks, changes: [...changes] };
    },
  };
}
