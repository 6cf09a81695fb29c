import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { workflowSchema } from '../../api/workflows/workflow.ts';
import { duration } from '../../domain/settings/setting.ts';
import { exportedRuns } from '../../worker/replay/exported-runs.ts';
import { UsageError } from '../engine/command.ts';
import { Progress } from '../engine/progress.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { exportOf, exportText } from './exported.ts';
import { replayCode, verdictLines } from './replay-words.ts';
import { type Replayed, replayed, replayerOfCheckout } from './replayed.ts';

type Workflow = z.output<typeof workflowSchema>;

/** A limit is over after a minute. */
const limitMillis = 5_000;
const mostAttempts = 30;

const ages = duration(1_000, 366 * 86_400_000);

interface Asked {
  since?: string | undefined;
  kind?: string | undefined;
  json: boolean;
}

/** Replays all workflows that failed, and sums up which of them this checkout would run otherwise. */
export async function replayFailed(rest: Rest, { since = '7d', kind, json }: Asked): Promise<void> {
  const age = ages.parse(since);
  if (age === undefined) throw new UsageError(`--since wants ${ages.form}.`);
  const from = new Date(Date.now() - age).toISOString();
  const filters = { outcome: 'failed', from, ...(kind === undefined ? {} : { kind }) };
  const workflows = await rest.all<Workflow>('/workflows', undefined, filters);
  if (workflows.length === 0) {
    process.stdout.write(json ? '{ "workflows": [] }\n' : `No workflow has failed since ${from}.\n`);
    return;
  }
  const progress = new Progress(process.stderr);
  const told: { workflow: Workflow; result: Replayed }[] = [];
  try {
    progress.running('replay', 'The code of this checkout is prepared');
    const replayer = await replayerOfCheckout();
    for (const [index, workflow] of workflows.entries()) {
      progress.running('replay', `Replaying ${index + 1} of ${workflows.length}: ${printable(workflow.actorId)}`);
      told.push({ workflow, result: await oneOf(workflow) });
    }
    await replayer.close();

    async function oneOf({ id }: Workflow): Promise<Replayed> {
      try {
        return await replayed(replayer, await exportedRuns(exportText(await unhurried(() => exportOf(rest, id)))));
      } catch (error) {
        // Gone, unreadable or out of reach is said of this one; who may export nothing is told at once.
        if (error instanceof RestRefusal && ![404, 409, 503].includes(error.status)) throw error;
        if (!(error instanceof Error)) throw error;
        const result = { verdict: 'unreadable', events: 0, why: error.message } as const;
        return { verdict: 'unreadable', events: 0, runs: [{ run: 1, result, steps: [] }] };
      }
    }
  } finally {
    progress.end();
  }
  process.exitCode = replayCode(told.map(({ result }) => result.verdict));
  process.stdout.write(json ? `${JSON.stringify({ workflows: told.map(asJson) }, undefined, 2)}\n` : summary(told));
}

function asJson({ workflow: { actorId, name, finishedAt }, result }: { workflow: Workflow; result: Replayed }): object {
  const { verdict, events, runs } = result;
  return { actorId, name, finishedAt, verdict, events, runs: runs.map(({ run, result: of }) => ({ run, ...of })) };
}

function summary(told: readonly { workflow: Workflow; result: Replayed }[]): string {
  const rows = told.map(({ workflow: { actorId, name, finishedAt = '' }, result }) => {
    const [first = ''] = verdictLines(result);
    return [actorId, printable(name), finishedAt, result.verdict, first.replace(/^[^:]*: /, '')];
  });
  const count = (verdict: Replayed['verdict']) => told.filter(({ result }) => result.verdict === verdict).length;
  const sums = `${count('replays')} replay, ${count('diverges')} diverge, ${count('unreadable')} cannot be replayed.\n`;
  return asTable(['workflow', 'of', 'ended', 'replay', ''], rows) + sums;
}

/** So many requests a minute are answered, and hundreds of histories are more: they wait for the next minute. */
async function unhurried<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RestRefusal) || error.status !== 429 || attempt >= mostAttempts) throw error;
      await pause(limitMillis);
    }
  }
}
