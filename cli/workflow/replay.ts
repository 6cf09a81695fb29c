import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as allOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { z } from 'zod';
import type { workflowSchema } from '../../api/workflows/workflow.ts';
import type { HistoryStep } from '../../domain/history-steps/step.ts';
import { steps } from '../../domain/history-steps/steps.ts';
import { duration } from '../../domain/settings/setting.ts';
import { readSettings } from '../../domain/settings/settings.ts';
import { workflowBundle } from '../../worker/host/bundle.ts';
import { installSdk } from '../../worker/host/sdk.ts';
import { type ExportedRun, exportedRuns, workflowOf } from '../../worker/replay/exported-runs.ts';
import { Replayer, type RunVerdict } from '../../worker/replay/replayer.ts';
import { actorKinds, descriptors } from '../../workflows/descriptors.ts';
import { command, UsageError } from '../engine/command.ts';
import { foundBy, wholeNumberOf } from '../engine/given.ts';
import type { Outcome } from '../engine/outcome.ts';
import { Progress } from '../engine/progress.ts';
import { Rest, RestRefusal, restOptions } from '../engine/rest.ts';
import { asTable, printable, said } from '../engine/table.ts';
import { exportOf, exportText } from './workflow.ts';

/** How the replay of a workflow ended: as its first run did that does not replay. */
interface Replayed {
  verdict: RunVerdict['verdict'];
  /** Those of all runs that replayed, and of the one that did not. */
  events: number;
  runs: RanRun[];
}

interface RanRun {
  run: number;
  result: RunVerdict;
  /** Steps up to the divergence, or to the end. */
  steps: HistoryStep[];
}

/** The replayer of this checkout's code. */
async function replayerOfCheckout(): Promise<Replayer> {
  await installSdk(pino({ level: 'silent' }), { metrics: false });
  const cache = join(readSettings(process.env).BALLAST_HOME, 'cache');
  return new Replayer(await workflowBundle({ cache }));
}

/** All runs of an exported workflow, one after the other, until one does not replay. */
async function replayed(replayer: Replayer, given: readonly ExportedRun[]): Promise<Replayed> {
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

/** The exit codes of a replay, as docs/cli.md and --help say them. */
const replayCodes = { replays: 0, diverges: 3, unreadable: 4 } as const;
const replayCodesText = `Exit codes: 0 everything replays, 1 the control plane refuses, 2 usage, 3 something diverges, 4 something cannot be replayed.`;

/** The code of several is that of the one that matters most. */
function replayCode(verdicts: readonly RunVerdict['verdict'][]): number {
  if (verdicts.includes('diverges')) return replayCodes.diverges;
  return verdicts.includes('unreadable') ? replayCodes.unreadable : replayCodes.replays;
}

/** In one sentence: that it replays, the first divergence, or why it cannot be replayed. */
function verdictLines({ runs, events }: Replayed): string[] {
  const last = runs.at(-1);
  if (last === undefined) return [];
  const { run, result } = last;
  if (result.verdict === 'replays') {
    return [`replays: ${events} events${runs.length === 1 ? '' : ` in ${runs.length} runs`}`];
  }
  if (result.verdict === 'unreadable') return [said`cannot be replayed: run ${run}: ${result.why}`];
  const { event, type, at, history, code } = result.divergence;
  return [
    `diverges: run ${run}, event ${event} of ${result.events} (${type}, ${at})`,
    said`  history:       ${history}`,
    said`  this checkout: ${code}`,
  ];
}

/** Each step of the runs in words, the numbers of its events first. */
function stepLines(runs: readonly RanRun[]): string[] {
  return runs.flatMap(({ run, steps }) => [
    ...(runs.length === 1 ? [] : [`run ${run}`]),
    ...steps.map(({ events, startedAt, title, detail, failure }) => {
      const more = [detail, failure].filter((text) => text !== '').join('; ');
      return said`  ${events.join(',').padEnd(9)} ${startedAt}  ${title}${more === '' ? '' : `: ${printable(more)}`}`;
    }),
  ]);
}

type Workflow = z.output<typeof workflowSchema>;

/** A limit is over after a minute. */
const limitMillis = 5_000;
const mostAttempts = 30;

const ages = duration(1_000, 366 * 86_400_000);

interface ReplayOptions {
  since?: string | undefined;
  kind?: string | undefined;
  json: boolean;
}

/** Replays all workflows that failed, and sums up which of them this checkout would run otherwise. */
async function replayFailed(rest: Rest, { since = '7d', kind, json }: ReplayOptions): Promise<Outcome | undefined> {
  const age = ages.parse(since);
  if (age === undefined) throw new UsageError(`--since wants ${ages.form}.`);
  const from = new Date(Date.now() - age).toISOString();
  const filters = { outcome: 'failed', from, ...(kind !== undefined && { kind }) };
  const workflows = await rest.all<Workflow>('/workflows', undefined, filters);
  if (workflows.length === 0) {
    process.stdout.write(json ? '{ "workflows": [] }\n' : `No workflow has failed since ${from}.\n`);
    return undefined;
  }
  const progress = new Progress(process.stderr);
  const told: ReplayedWorkflow[] = [];
  try {
    progress.running('replay', 'The code of this checkout is prepared');
    const replayer = await replayerOfCheckout();
    for (const [index, workflow] of workflows.entries()) {
      progress.running('replay', said`Replaying ${index + 1} of ${workflows.length}: ${workflow.actorId}`);
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
  return { json: { workflows: told.map(failedAsJson) }, text: summary(told) };
}

interface ReplayedWorkflow {
  workflow: Workflow;
  result: Replayed;
}

function failedAsJson({ workflow: { actorId, name, finishedAt }, result }: ReplayedWorkflow): object {
  const { verdict, events, runs } = result;
  return { actorId, name, finishedAt, verdict, events, runs: runs.map(({ run, result: of }) => ({ run, ...of })) };
}

function summary(told: readonly ReplayedWorkflow[]): string {
  const count = (verdict: Replayed['verdict']) => told.filter(({ result }) => result.verdict === verdict).length;
  const sums = `${count('replays')} replay, ${count('diverges')} diverge, ${count('unreadable')} cannot be replayed.\n`;
  const table = asTable(told, '', {
    workflow: ({ workflow }) => workflow.actorId,
    of: ({ workflow }) => workflow.name,
    ended: ({ workflow }) => workflow.finishedAt,
    replay: ({ result }) => result.verdict,
    '': ({ result }) => verdictLines(result)[0]?.replace(/^[^:]*: /, ''),
  });
  return table + sums;
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

const isId = /^(?:[a-z-]+\/)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const replay = command({
  summary: 'Runs the history of a workflow against the workflow code of this checkout',
  usage: `WORKFLOW | FILE | - [--run N] [--events] [--json]
  --failed [--since 7d] [--kind KIND] [--json]`,
  details: `WORKFLOW is an id, whose history is exported from the control plane (with an administrator's token); FILE is what
\`./ballast workflow export\` wrote, and needs neither a control plane nor a key; - is the standard input. It says the first
event at which the code of this checkout does something else than the history has. Nothing is carried out.
${replayCodesText}`,
  options: {
    run: { type: 'string', value: 'N', what: 'Only the run of this number; all of them by default.' },
    events: { type: 'boolean', what: 'Print what happened, step by step, up to the divergence.' },
    failed: { type: 'boolean', what: 'Replay all workflows that failed.' },
    since: { type: 'string', value: '7d', what: 'With --failed: those that ended since then; 7d by default.' },
    kind: { type: 'string', value: 'KIND', what: 'With --failed: only of this kind.' },
    ...restOptions,
  },
  words: { least: 0, most: 1 },
  run: async ({ run, events = false, failed = false, since, kind, ...given }, [which]) => {
    if (failed !== (which === undefined)) {
      throw new UsageError('Give the id of a workflow, a file or -, or --failed for those that failed; see --help.');
    }
    if (!failed && (since !== undefined || kind !== undefined)) {
      throw new UsageError('--since and --kind go with --failed.');
    }
    if (failed && (run !== undefined || events)) throw new UsageError('--run and --events go with one workflow.');
    if (kind !== undefined)
      foundBy(
        kind,
        'kind',
        actorKinds.find((one) => one === kind),
        actorKinds,
      );
    if (which === undefined) return await replayFailed(new Rest(given), { since, kind, json: given.json ?? false });
    const number = wholeNumberOf('--run', run, 1, 1_000_000);
    const text = isId.test(which) ? exportText(await exportOf(new Rest(given), which, number)) : await fileText(which);
    if (!isId.test(which) && number !== undefined) throw new UsageError('--run goes with the id of a workflow.');
    const runs = await exportedRuns(text, number).catch((error: unknown) => {
      throw new UsageError(said`${which} is no exported history: ${reasonOf(error)}.`);
    });
    const replayer = await replayerOfCheckout();
    const result = await replayed(replayer, runs);
    await replayer.close();
    process.exitCode = replayCode([result.verdict]);
    const lines = [...(events ? stepLines(result.runs) : []), ...verdictLines(result)];
    return { json: asJson(result, events), text: lines.map((line) => `${line}\n`) };
  },
});

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

async function fileText(file: string): Promise<string> {
  if (file === '-') return await allOf(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new UsageError(
      said`There is no file "${file}" that can be read, and it is no id of a workflow; see \`./ballast workflow list\`.`,
    );
  }
}

function asJson({ runs, ...rest }: Replayed, events: boolean): object {
  return { ...rest, runs: runs.map(({ run, result, steps }) => ({ run, ...result, ...(events ? { steps } : {}) })) };
}
