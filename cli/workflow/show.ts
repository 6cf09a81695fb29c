import type { z } from 'zod';
import type { workflowDetailSchema } from '../../api/workflows/workflow.ts';
import { duration } from '../../domain/history-steps/in-words.ts';
import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

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
export function workflowPath(id: string): string {
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
