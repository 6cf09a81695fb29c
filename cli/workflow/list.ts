import type { z } from 'zod';
import type { workflowSchema } from '../../api/workflows/workflow.ts';
import { actorKinds as kinds } from '../../workflows/descriptors.ts';
import { command, UsageError } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { whatToDo } from './stuck-words.ts';

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
    else process.stdout.write(asTable(['id', 'kind', 'of', 'state', 'outcome', 'since', 'by', ''], workflows.map(row)));
  },
});

function row({ id, kind, name, state, outcome, stuck, blocker, message, createdAt, requestedBy }: Workflow): string[] {
  return [
    ...[id, kind, printable(name), stuck ? `${state}, stuck` : state, outcome, createdAt],
    ...[printable(requestedBy?.name ?? ''), printable(blocker || message)],
  ];
}

function stuckRow({ id, kind, name, state, blocker, createdAt }: Workflow): string[] {
  return [id, kind, printable(name), state, createdAt, printable(blocker), whatToDo(blocker, id)];
}
