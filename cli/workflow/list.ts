import type { z } from 'zod';
import type { workflowSchema } from '../../api/workflows/workflow.ts';
import { actorKinds as kinds } from '../../workflows/descriptors.ts';
import { command, UsageError } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';

type Workflow = z.output<typeof workflowSchema>;

export const workflowList = command({
  summary: 'Lists workflows: stuck first, then running, then finished',
  usage: '[--kind KIND] [--open | --over | --stuck] [--tail N] [--json]',
  options: {
    kind: {
      type: 'string',
      value: 'KIND',
      what: 'Only of this kind; an unknown one is refused with the kinds there are.',
    },
    open: { type: 'boolean', what: 'Only running ones.' },
    over: { type: 'boolean', what: 'Only finished ones.' },
    stuck: { type: 'boolean', what: 'Only stuck ones.' },
    tail: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...restOptions,
  },
  run: async ({ kind, open, over, stuck, tail, ...given }) => {
    if (kind !== undefined && !kinds.some((one) => one === kind)) {
      throw new UsageError(`There is no kind "${printable(kind)}"; there is: ${kinds.join(', ')}.`);
    }
    if (over && (open || stuck)) throw new UsageError('--over goes with neither --open nor --stuck.');
    const workflows = await new Rest(given).all<Workflow>(
      '/workflows',
      wholeNumberOf('--tail', tail, 1, 10_000) ?? 50,
      {
        ...(kind === undefined ? {} : { kind }),
        ...(open || over ? { state: open ? 'open' : 'over' } : {}),
        ...(stuck ? { stuck: 'true' } : {}),
      },
    );
    if (given.json) process.stdout.write(`${JSON.stringify({ workflows }, undefined, 2)}\n`);
    else if (workflows.length === 0) process.stdout.write('There are no such workflows.\n');
    else process.stdout.write(asTable(['id', 'kind', 'of', 'state', 'since', ''], workflows.map(row)));
  },
});

function row({ id, kind, name, state, stuck, blocker, message, createdAt }: Workflow): string[] {
  return [id, kind, printable(name), stuck ? `${state}, stuck` : state, createdAt, printable(blocker || message)];
}
