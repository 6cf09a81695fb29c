import { rename, writeFile } from 'node:fs/promises';
import type { z } from 'zod';
import type { historyStepSchema, workflowDetailSchema, workflowSchema } from '../../api/workflows/workflow.ts';
import { duration } from '../../domain/history-steps/in-words.ts';
import { actorKinds as kinds } from '../../workflows/descriptors.ts';
import { command, UsageError } from '../engine/command.ts';
import { Rest, RestRefusal, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';

type Detail = z.output<typeof workflowDetailSchema>;

export const workflowShow = command({
  summary: 'Shows one workflow: who requested it, its stages, and what it waits for',
  usage: 'ID [--json]',
  options: restOptions,
  words: { least: 1, most: 1 },
  run: async (given, [id = '']) => {
    const workflow = await new Rest(given).call<Detail>('GET', workflowPath(id));
    process.stdout.write(given.json ? `${JSON.stringify(workflow, undefined, 2)}\n` : asLines(workflow));
  },
});

/** Accepts an id, or the name that logs use: `cluster/<id>`. */
function workflowPath(id: string): string {
  return `/workflows/${encodeURIComponent(id.slice(id.lastIndexOf('/') + 1))}`;
}

function asLines(workflow: Detail): string {
  const { actorId, name, about, state, outcome, stuck, blocker, message, requestedBy, stages } = workflow;
  const { createdAt, finishedAt = '', waitingFor, pending } = workflow;
  const request = requestedBy?.requestId === undefined ? '' : `, request ${requestedBy.requestId}`;
  const lines: [string, string][] = [
    ['workflow', `${actorId} "${name}"`],
    ['about', about],
    ['by', requestedBy === undefined ? '' : `${requestedBy.name} (${requestedBy.kind})${request}`],
    ['outcome', outcome],
    ['state', [stuck ? `${state}, stuck` : state, message].filter((text) => text !== '').join(': ')],
    ['stuck', blocker],
    ['since', createdAt],
    ['ended', finishedAt],
    ...stages.map((stage): [string, string] => ['stage', stageLine(stage)]),
    ['now', waitingFor],
    ...pending.map(({ lastFailure }): [string, string] => ['last failure', lastFailure]),
  ];
  const shown = lines.filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([title]) => title.length));
  return shown.map(([title, value]) => `${title.padEnd(width)}  ${printable(value)}\n`).join('');
}

function stageLine({ title, outcome, durationMs }: Detail['stages'][number]): string {
  return durationMs === undefined ? `${title}: ${outcome}` : `${title}: ${outcome} after ${duration(durationMs)}`;
}

/** One run as the API exports it: a history that Temporal's tools and the SDK's replayer take. */
interface TemporalHistory {
  events: Record<string, unknown>[];
}

/** All runs of a workflow in their order, or the one of that number. Each export is in the audit log. */
export async function exportOf(rest: Rest, id: string, number?: number): Promise<TemporalHistory[]> {
  const ofRun = (run: number) => rest.call<TemporalHistory>('POST', `${workflowPath(id)}/export?run=${run}`);
  if (number !== undefined) return [await ofRun(number)];
  const { runs: known } = await rest.call<z.output<typeof workflowDetailSchema>>('GET', workflowPath(id));
  const runs: TemporalHistory[] = [];
  for (let run = 1; run <= (known ?? Number.POSITIVE_INFINITY); run += 1) {
    try {
      runs.push(await ofRun(run));
    } catch (error) {
      // How many there are is unknown while Temporal is away; the archive has those that are over.
      if (known === undefined && run > 1 && error instanceof RestRefusal && error.status === 404) break;
      throw error;
    }
  }
  return runs;
}

/** The text of a file: one run is a plain history, which Temporal's own tools read, too. */
export function exportText(runs: readonly TemporalHistory[]): string {
  const [only] = runs;
  return `${JSON.stringify(runs.length === 1 ? only : { runs }, undefined, 2)}\n`;
}

const { json: _, ...options } = restOptions;

export const workflowExport = command({
  summary: 'Exports the history of a workflow as a file that replays elsewhere',
  usage: 'ID [--output FILE] [--force] [--run N]',
  details: `\`./ballast replay FILE\` runs it against the code of any checkout, without keys and without an installation. One run is a history
as Temporal's tools read it; several are a list beneath "runs". Takes an administrator's token; the audit log says so.`,
  options: {
    output: {
      type: 'string',
      value: 'FILE',
      what: 'The file to write, which only you can read; else the standard output.',
    },
    force: { type: 'boolean', what: 'Replace the file if there is one.' },
    run: { type: 'string', value: 'N', what: 'The number of the run; all of them by default.' },
    ...options,
  },
  words: { least: 1, most: 1 },
  run: async ({ output, force = false, run, ...given }, [id = '']) => {
    const number = wholeNumberOf('--run', run, 1, 1_000_000);
    if (force && output === undefined) throw new UsageError('--force goes with --output.');
    const text = exportText(await exportOf(new Rest(given), id, number));
    if (output === undefined) return void process.stdout.write(text);
    await written(output, text, force);
    process.stdout.write(`${output}\n`);
  },
});

/** Readable by us alone, also in the place of a file that others could read. */
async function written(output: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(output, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code !== 'EEXIST') {
      throw new RestRefusal(`${printable(output)} cannot be written (${error.code}); give --output another file.`);
    }
    if (!force) throw new RestRefusal(`${printable(output)} exists; give --force to replace it.`);
    const aside = `${output}.${process.pid}`;
    await writeFile(aside, text, { mode: 0o600, flag: 'wx' });
    await rename(aside, output);
  }
}

type Step = z.output<typeof historyStepSchema>;

export const workflowHistory = command({
  summary: 'Shows the steps of a workflow, the latest last',
  usage: 'ID [--failures] [--search TEXT] [--tail N] [--raw] [--json]',
  options: {
    tail: { type: 'string', value: 'N', what: 'The last N steps; 50 by default.' },
    failures: { type: 'boolean', what: 'Only steps that failed, timed out or were retried.' },
    search: { type: 'string', value: 'TEXT', what: 'Only steps with this text.' },
    raw: { type: 'boolean', what: 'Include the events of each step; needs --json.' },
    ...restOptions,
  },
  words: { least: 1, most: 1 },
  run: async ({ tail, failures, search, raw, ...given }, [id = '']) => {
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const filters = {
      order: 'newest',
      ...(failures ? { failures: 'true' } : {}),
      ...(search === undefined ? {} : { q: search }),
      ...(raw && given.json ? { raw: 'true' } : {}),
    };
    const steps = (await new Rest(given).all<Step>(`${workflowPath(id)}/history`, most, filters)).toReversed();
    if (given.json) process.stdout.write(`${JSON.stringify({ steps }, undefined, 2)}\n`);
    else if (steps.length === 0) process.stdout.write('Nothing has happened yet.\n');
    else process.stdout.write(asTable(['at', 'after', 'outcome', 'what happened', ''], steps.map(stepRow)));
  },
});

function stepRow({ startedAt, sinceStartMs, title, stateTitle, detail, attempts, failure, outcome }: Step): string[] {
  const tried = attempts > 1 ? `tried ${attempts} times` : '';
  return [
    startedAt,
    `+${duration(sinceStartMs)}`.replace('+less than a second', ''),
    outcome,
    printable(stateTitle === undefined ? title : `${title} → ${stateTitle}`),
    printable([detail, tried, failure].filter((text) => text !== '').join('; ')),
  ];
}

/** Remedies for stuck workflows, by what their blockers begin with. */
const remedies: readonly [begins: string, remedy: string][] = [
  ['Messages cannot be delivered', 'see `./ballast doctor` and the log of the workers; it is tried again'],
  ['Its messages have not been delivered', 'see `./ballast doctor`: Temporal or the workers do not answer'],
  ['It should have gone on by now', 'see `./ballast doctor`: no worker may be running'],
  ['Repair failed', 'see the log of the workers; the repair is tried again'],
  [
    'No worker continues the workflow',
    'see `./ballast doctor`; if workers are up and have time, `./ballast replay ID`',
  ],
  ['The workflow code keeps failing', '`./ballast replay ID`; it continues once a version without the fault runs'],
];

/** The remedy for all else: a step that keeps failing. */
const otherwise = '`./ballast workflow history ID --failures` has the step that keeps failing';

function whatToDo(blocker: string, id: string): string {
  const remedy = remedies.find(([begins]) => blocker.startsWith(begins))?.[1] ?? otherwise;
  return remedy.replace('ID', id);
}

type Workflow = z.output<typeof workflowSchema>;

export const workflowList = command({
  summary: 'Lists workflows, newest first',
  usage:
    '[--query TEXT] [--kind KIND | --lives LIFE] [--open | --over | --stuck | --failed] [--about ID] [--by ID] [--from TIME] [--until TIME] [--tail N] [--json]',
  options: {
    query: {
      type: 'string',
      short: 'q',
      value: 'TEXT',
      what: 'Only those with these words in their title, or of this id.',
    },
    kind: {
      type: 'string',
      value: 'KIND',
      what: 'Only of this kind; an unknown one is refused with the kinds there are.',
    },
    open: { type: 'boolean', what: 'Only running ones.' },
    over: { type: 'boolean', what: 'Only finished ones.' },
    stuck: { type: 'boolean', what: 'Only stuck ones, with what is in their way and what to do.' },
    failed: { type: 'boolean', what: 'Only failed ones.' },
    lives: {
      type: 'string',
      value: 'LIFE',
      what: '`once`: those that run to their end; `for-ever`: those that live on.',
    },
    about: { type: 'string', value: 'ID', what: 'Only those about this cluster or organization.' },
    by: { type: 'string', value: 'ID', what: 'Only those that this person or token started.' },
    from: { type: 'string', value: 'TIME', what: 'Only those still running at this time (ISO 8601), or later.' },
    until: { type: 'string', value: 'TIME', what: 'Only those that started before this time.' },
    tail: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...restOptions,
  },
  run: async ({ query: q, kind, open, over, stuck, failed, lives, about, by, from, until, tail, ...given }) => {
    if (kind !== undefined && !kinds.some((one) => one === kind)) {
      throw new UsageError(`There is no kind "${printable(kind)}"; there is: ${kinds.join(', ')}.`);
    }
    if (over && (open || stuck)) throw new UsageError('--over goes with neither --open nor --stuck.');
    if (failed && (open || stuck)) throw new UsageError('--failed goes with neither --open nor --stuck.');
    const workflows = await new Rest(given).all<Workflow>(
      '/workflows',
      wholeNumberOf('--tail', tail, 1, 10_000) ?? 50,
      {
        ...(q === undefined ? {} : { q }),
        ...(kind === undefined ? {} : { kind }),
        ...(open || over ? { state: open ? 'open' : 'over' } : {}),
        ...(stuck ? { stuck: 'true' } : {}),
        ...(failed ? { outcome: 'failed' } : {}),
        ...(lives === undefined ? {} : { lives }),
        ...(about === undefined ? {} : { subjectId: about }),
        ...(by === undefined ? {} : { requestedBy: by }),
        ...(from === undefined ? {} : { from }),
        ...(until === undefined ? {} : { until }),
      },
    );
    if (given.json) process.stdout.write(`${JSON.stringify({ workflows }, undefined, 2)}\n`);
    else if (workflows.length === 0) process.stdout.write('There are no such workflows.\n');
    else if (stuck)
      process.stdout.write(
        asTable(['id', 'kind', 'of', 'state', 'since', 'stuck', 'what to do'], workflows.map(stuckRow)),
      );
    else
      process.stdout.write(
        asTable(['id', 'kind', 'of', 'state', 'outcome', 'since', 'by', ''], workflows.map(workflowRow)),
      );
  },
});

function workflowRow({
  id,
  kind,
  name,
  state,
  outcome,
  stuck,
  blocker,
  message,
  createdAt,
  requestedBy,
}: Workflow): string[] {
  return [
    ...[id, kind, printable(name), stuck ? `${state}, stuck` : state, outcome, createdAt],
    ...[printable(requestedBy?.name ?? ''), printable(blocker || message)],
  ];
}

function stuckRow({ id, kind, name, state, blocker, createdAt }: Workflow): string[] {
  return [id, kind, printable(name), state, createdAt, printable(blocker), whatToDo(blocker, id)];
}
