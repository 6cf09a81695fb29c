import type { z } from 'zod';
import type { approvalSchema } from '../../api/approvals/approval.ts';
import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { environmentOptions } from '../place/here.ts';
import { narrowed } from '../place/narrowed.ts';

export type Approval = z.output<typeof approvalSchema>;

export const approvalList = command({
  summary: 'Lists approvals that wait, or were decided, newest first',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--decided] [--tail N] [--json]',
  details: `Only the options narrow it, not the directory. \`./ballast approval show ID\` has what one changes, \`./ballast approve ID\` and
\`./ballast reject ID\` decide.`,
  options: {
    decided: { type: 'boolean', what: 'Those that were decided, in place of those that wait.' },
    tail: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...environmentOptions,
  },
  run: async ({ decided, tail, ...given }) => {
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const { rest, filter, words } = await narrowed(given);
    const state = decided ? 'decided' : 'pending';
    const approvals = await rest.all<Approval>('/approvals', most, { ...filter, state });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ approvals }, undefined, 2)}\n`);
    if (approvals.length === 0) {
      return void process.stdout.write(`No approval ${decided ? 'was decided' : 'waits'} in ${printable(words)}.\n`);
    }
    const titles = [
      'id',
      'kind',
      'project',
      'environment',
      'by',
      'requested',
      decided ? 'decision' : 'expires',
      'reason',
    ];
    process.stdout.write(asTable(titles, approvals.map(row)));
  },
});

function row({ id, kind, projectName, environmentName, requestedBy, createdAt, ...rest }: Approval): string[] {
  const { decision, decidedBy, expiresAt, waitsForYou, reason } = rest;
  const waits = waitsForYou === true ? `${expiresAt}, waits for you` : expiresAt;
  const decided =
    decision === undefined ? waits : `${decision}${decidedBy === '' ? '' : ` by ${printable(decidedBy)}`}`;
  return [
    ...[id, kind, printable(projectName), printable(environmentName), printable(requestedBy), createdAt],
    ...[decided, printable(reason)],
  ];
}
