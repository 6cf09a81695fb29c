import { join } from 'node:path';
import { pino } from 'pino';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import { steps } from '../../domain/history-steps/steps.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { workflowBundle } from '../../worker/host/bundle.ts';
import { installSdk } from '../../worker/host/sdk.ts';
import { type ExportedRun, workflowOf } from '../../worker/replay/exported-runs.ts';
import { Replayer, type RunVerdict } from '../../worker/replay/replayer.ts';
import { descriptors } from '../../workflows/descriptors.ts';

/** How the replay of a workflow ended: as its first run did that does not replay. */
export interface Replayed {
  verdict: RunVerdict['verdict'];
  /** Those of all runs that replayed, and of the one that did not. */
  events: number;
  runs: RanRun[];
}

export interface RanRun {
  run: number;
  result: RunVerdict;
  /** Steps up to the divergence, or to the end. */
  steps: HistoryStep[];
}

/** The replayer of this checkout's code. */
export async function replayerOfCheckout(): Promise<Replayer> {
  await installSdk(pino({ level: 'silent' }), { metrics: false });
  const cache = join(readSettings(process.env).BALLAST_HOME, 'cache');
  return new Replayer(await workflowBundle({ cache }));
}

/** All runs of an exported workflow, one after the other, until one does not replay. */
export async function replayed(replayer: Replayer, given: readonly ExportedRun[]): Promise<Replayed> {
  const runs: RanRun[] = [];
  for (const run of given) {
    const descriptor = Object.values(descriptors).find(({ workflow }) => workflow === workflowOf(run));
    const result: RunVerdict =
      descriptor === undefined
        ? { verdict: 'unreadable', events: run.events.length, why: noSuchWorkflow(workflowOf(run)) }
        : await replayer.replay(run);
    const until = result.verdict === 'diverges' ? result.divergence.event : Number.POSITIVE_INFINITY;
    const events = run.events.filter(({ id }) => id < until);
    const told = descriptor === undefined ? [] : steps({ number: run.number, events }, descriptor.words);
    runs.push({ run: run.number, result, steps: told });
    if (result.verdict !== 'replays') break;
  }
  const events = runs.reduce((sum, { result }) => sum + result.events, 0);
  return { verdict: runs.at(-1)?.result.verdict ?? 'unreadable', events, runs };
}

function noSuchWorkflow(name: string): string {
  return `this checkout has no workflow "${name}"; replay it with the version that ran it`;
}
