import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { lookAt, runNumbers } from '../../agent/drivers/process/runs.ts';
import { isAlive } from '../../machine/process-identity.ts';

/** The machine of the local cluster beneath the agent: what is in its home, and which processes work there. */
export class AgentMachine {
  readonly #home: string;

  constructor(installationHome: string) {
    this.#home = realpathSync(join(installationHome, 'agent'));
  }

  /** Where the rollout of a deployment stands, as the agent wrote it down: before anybody else is told. */
  phaseOf(deploymentId: string): string | undefined {
    const written = this.rollouts().filter((name) => name.endsWith('.json'));
    const rollouts = written.map((name) => rolloutIn(join(this.#home, 'keep', 'rollouts', name)));
    return rollouts.find(({ id }) => id === deploymentId)?.phase;
  }

  /** The instances for which any process works: a keeper, a program, or what that has started. */
  working(): string[] {
    const found = new Set<string>();
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const directory = workingDirectory(pid);
      for (const place of ['instances', 'trees']) {
        const inside = `${join(this.#home, place)}/`;
        if (directory?.startsWith(inside)) found.add(directory.slice(inside.length).split('/')[0] ?? '');
      }
    }
    for (const id of this.#in('instances')) {
      const directory = join(this.#home, 'instances', id);
      for (const run of runNumbers(directory)) {
        const { keeper, child } = lookAt(directory, run);
        if ([keeper, child].some((one) => one !== undefined && isAlive(one))) found.add(id);
      }
    }
    return [...found].sort();
  }

  /** Directories in the home, by instance; unfinished work of an agent that was killed would be here, too. */
  instances(): string[] {
    return this.#in('instances');
  }
  trees(): string[] {
    return readdirSync(join(this.#home, 'trees')).sort();
  }
  /** Images unpacked, by their digests. */
  roots(): string[] {
    return readdirSync(join(this.#home, 'roots')).sort();
  }
  rollouts(): string[] {
    const directory = join(this.#home, 'keep', 'rollouts');
    return existsSync(directory) ? readdirSync(directory).sort() : [];
  }

  #in(place: string): string[] {
    // Drafts begin with a dot, too, and are to be seen.
    const own = new Set(['.home', '.users.json', '.probe']);
    return readdirSync(join(this.#home, place))
      .filter((name) => !own.has(name))
      .sort();
  }
}

function rolloutIn(path: string): { id: string; phase: string } {
  return JSON.parse(readFileSync(path, 'utf8')).record.rollout;
}

function workingDirectory(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
