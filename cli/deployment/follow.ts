import { setTimeout as pause } from 'node:timers/promises';
import { Progress } from '../engine/progress.ts';
import type { Rest } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { type Deployment, isHeld, isOpen } from './deployment.ts';
import { exitCodeOf, interrupted, stillUnderWay } from './outcome.ts';
import { Stages } from './stages.ts';
import type { Waiting } from './waiting.ts';

const againMillis = 500;

export interface Followed {
  deployments: Deployment[];
  exitCode: number;
}

/** The deployments of a change set, however many. */
export function ofChangeSet(rest: Rest, changeSetId: string): () => Promise<Deployment[]> {
  return () => rest.all<Deployment>('/deployments', undefined, { changeSetId });
}

export function theseDeployments(rest: Rest, ids: readonly string[]): () => Promise<Deployment[]> {
  return () => Promise.all(ids.map((id) => rest.call<Deployment>('GET', `/deployments/${id}`)));
}

/**
 * Looks on until all of these have ended, the time is up, or somebody presses Ctrl-C, and says on the standard error how they
 * proceed. `place`: the options that name their environment, for the commands it names.
 */
export async function follow(look: () => Promise<Deployment[]>, waiting: Waiting, place: string): Promise<Followed> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  const progress = new Progress(process.stderr);
  const stages = new Stages(progress);
  const clock = new Clock(waiting);
  let told = false;
  try {
    for (;;) {
      const deployments = await look();
      if (waiting.until === 'started') return { deployments, exitCode: 0 };
      for (const deployment of deployments) stages.show(deployment);
      const open = deployments.filter(isOpen);
      if (open.length === 0) return { deployments, exitCode: exitCodeOf(deployments) };
      const held = open.every(isHeld);
      if (held && !told) {
        told = true;
        for (const line of approvalLines(open)) progress.line(line);
      }
      if (held && waiting.until === 'held') return { deployments, exitCode: stillUnderWay };
      if (clock.isUp(held)) {
        progress.line(leftRunning('The time is up, and it is still under way', place));
        return { deployments, exitCode: stillUnderWay };
      }
      await pause(againMillis, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) {
        progress.line(leftRunning('It continues without this command', place));
        return { deployments, exitCode: interrupted };
      }
    }
  } finally {
    process.removeListener('SIGINT', interrupt);
    progress.end();
  }
}

/** The time that counts: that of an approval only if somebody said how long to wait. */
class Clock {
  readonly #waiting: Waiting;
  #spent = 0;
  #since = performance.now();

  constructor(waiting: Waiting) {
    this.#waiting = waiting;
  }

  isUp(held: boolean): boolean {
    const now = performance.now();
    if (!held || this.#waiting.bounded) this.#spent += now - this.#since;
    this.#since = now;
    return this.#spent > this.#waiting.millis;
  }
}

function approvalLines(held: readonly Deployment[]): string[] {
  const ids = new Set(held.map(({ approvalId }) => approvalId ?? ''));
  return [...ids].flatMap((id) => {
    if (id === '') return [];
    return [
      '  An administrator or owner decides, in the console beneath Approvals or here:',
      `    ./ballast approve ${printable(id)}`,
    ];
  });
}

function leftRunning(why: string, place: string): string {
  return `${why}: \`./ballast status --wait${place}\` follows it, \`./ballast cancel${place}\` cancels it.`;
}
