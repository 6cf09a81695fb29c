import type { z } from 'zod';
import type { historyStepSchema } from '../../api/workflows/workflow.ts';
import { duration } from '../../domain/history-steps/in-words.ts';
import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { workflowPath } from './show.ts';

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
    else process.stdout.write(asTable(['at', 'after', 'outcome', 'what happened', ''], steps.map(row)));
  },
});

function row({ startedAt, sinceStartMs, title, stateTitle, detail, attempts, failure, outcome }: Step): string[] {
  const tried = attempts > 1 ? `tried ${attempts} times` : '';
  return [
    startedAt,
    `+${duration(sinceStartMs)}`.replace('+less than a second', ''),
    outcome,
    printable(stateTitle === undefined ? title : `${title} → ${stateTitle}`),
    printable([detail, tried, failure].filter((text) => text !== '').join('; ')),
  ];
}
