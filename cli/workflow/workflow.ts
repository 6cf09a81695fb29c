import { rename, writeFile } from 'node:fs/promises';
import type { z } from 'zod';
import type { historyStepSchema, workflowDetailSchema, workflowSchema } from '../../api/workflows/workflow.ts';
import { defined } from '../../domain/defined.ts';
import { duration } from '../../domain/history-steps/in-words.ts';
import { actorKinds as kinds } from '../../workflows/descriptors.ts';
import { command, UsageError } from '../engine/command.ts';
import { foundBy, wholeNumberOf } from '../engine/given.ts';
import { listed } from '../engine/outcome.ts';
import { Rest, RestRefusal, restOptions } from '../engine/rest.ts';
import { asFacts, said } from '../engine/table.ts';

type Detail = z.output<typeof workflowDetailSchema>;

export const workflowShow = command({
  summary: 'Shows one workflow: who requested it, its stages, and what it waits for',
  usage: 'ID [--json]',
  options: restOptions,
  run: async (given, [id = '']) => {
    const workflow = await new Rest(given).call<Detail>('GET', workflowPath(id));
    return { json: workflow, text: factsText(workflow) };
  },
});

/** Accepts an id, or the name that logs use: `cluster/<id>`. */
function workflowPath(id: string): string {
  return `/workflows/${encodeURIComponent(id.slice(id.lastIndexOf('/') + 1))}`;
}

function factsText(workflow: Detail): string {
  const { state, stuck, message, requestedBy } = workflow;
  const request = requestedBy?.requestId === undefined ? '' : `, request ${requestedBy.requestId}`;
  return asFacts({
    workflow: `${workflow.actorId} "${workflow.name}"`,
    about: workflow.about,
    by: requestedBy && `${requestedBy.name} (${requestedBy.kind})${request}`,
    outcome: workflow.outcome,
    state: [stuck ? `${state}, stuck` : state, message].filter((text) => text !== '').join(': '),
    stuck: workflow.blocker,
    since: workflow.createdAt,
    ended: workflow.finishedAt,
    stage: workflow.stages.map(stageLine),
    now: workflow.waitingFor,
    'last failure': workflow.pending.map(({ lastFailure }) => lastFailure),
  });
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
  run: async ({ output, force = false, run, ...given }, [id = '']) => {
    const number = wholeNumberOf('--run', run, 1, 1_000_000);
    if (force && output === undefined) throw new UsageError('--force goes with --output.');
    const text = exportText(await exportOf(new Rest(given), id, number));
    if (output !== undefined) await written(output, text, force);
    process.stdout.write(output === undefined ? text : `${output}\n`);
  },
});

/** Readable by us alone, also in the place of a file that others could read. */
async function written(output: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(output, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code !== 'EEXIST') {
      throw new RestRefusal(said`${output} cannot be written (${String(error.code)}); give --output another file.`);
    }
    if (!force) throw new RestRefusal(said`${output} exists; give --force to replace it.`);
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
  run: async ({ tail, failures, search, raw, ...given }, [id = '']) => {
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const filters = {
      order: 'newest',
      ...(failures && { failures: 'true' }),
      ...(raw && given.json && { raw: 'true' }),
      ...defined({ q: search }),
    };
    const steps = (await new Rest(given).all<Step>(`${workflowPath(id)}/history`, most, filters)).toReversed();
    return listed({ steps }, 'Nothing has happened yet.', {
      at: 'startedAt',
      after: ({ sinceStartMs }) => `+${duration(sinceStartMs)}`.replace('+less than a second', ''),
      outcome: 'outcome',
      'what happened': ({ title, stateTitle }) => (stateTitle === undefined ? title : `${title} → ${stateTitle}`),
      '': ({ detail, attempts, failure }) =>
        [detail, attempts > 1 ? `tried ${attempts} times` : '', failure].filter((text) => text !== '').join('; '),
    });
  },
});

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
    if (kind !== undefined)
      foundBy(
        kind,
        'kind',
        kinds.find((one) => one === kind),
        kinds,
      );
    if (over && (open || stuck)) throw new UsageError('--over goes with neither --open nor --stuck.');
    if (failed && (open || stuck)) throw new UsageError('--failed goes with neither --open nor --stuck.');
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const workflows = await new Rest(given).all<Workflow>('/workflows', most, {
      ...((open || over) && { state: open ? 'open' : 'over' }),
      ...(stuck && { stuck: 'true' }),
      ...(failed && { outcome: 'failed' }),
      ...defined({ q, kind, lives, subjectId: about, requestedBy: by, from, until }),
    });
    const first = { id: 'id', kind: 'kind', of: 'name' } as const;
    const none = 'There are no such workflows.';
    if (stuck) {
      return listed({ workflows }, none, {
        ...first,
        state: 'state',
        since: 'createdAt',
        stuck: 'blocker',
        'what to do': ({ blocker, id }) => whatToDo(blocker, id),
      });
    }
    return listed({ workflows }, none, {
      ...first,
      state: (one) => (one.stuck ? `${one.state}, stuck` : one.state),
      outcome: 'outcome',
      since: 'createdAt',
      by: ({ requestedBy }) => requestedBy?.name,
      '': ({ blocker, message }) => blocker || message,
    });
  },
});
