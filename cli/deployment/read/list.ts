import { command, UsageError } from '../../engine/command.ts';
import { asTable, printable } from '../../engine/table.ts';
import { wholeNumberOf } from '../../engine/whole-number-of.ts';
import { serviceOptions } from '../../place/here.ts';
import { narrowed } from '../../place/narrowed.ts';
import type { Deployment } from '../deployment.ts';

export const deploymentList = command({
  summary: 'Lists deployments, newest first',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--open | --failed] [--tail N] [--json]',
  details: `Only the options narrow it, not the directory: without any it lists those of all projects that the token may see.
\`./ballast deployment show ID\` has the stages of one, \`./ballast why ID\` what it waits for.`,
  options: {
    open: { type: 'boolean', what: 'Only those under way.' },
    failed: { type: 'boolean', what: 'Only failed ones.' },
    tail: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...serviceOptions,
  },
  run: async ({ open, failed, tail, ...given }) => {
    if (open && failed) throw new UsageError('--failed does not go with --open.');
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const { rest, filter, words } = await narrowed(given);
    const deployments = await rest.all<Deployment>('/deployments', most, {
      ...filter,
      ...(open ? { open: 'true' } : {}),
      ...(failed ? { state: 'failed' } : {}),
    });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ deployments }, undefined, 2)}\n`);
    if (deployments.length === 0)
      return void process.stdout.write(`There is no such deployment in ${printable(words)}.\n`);
    const titles = ['id', 'service', 'environment', 'release', 'kind', 'state', 'created', 'by', ''];
    process.stdout.write(asTable(titles, deployments.map(row)));
  },
});

function row({ id, serviceName, environmentName, releaseNumber, kind, ...rest }: Deployment): string[] {
  const { state, serving, createdAt, requestedBy, message } = rest;
  return [
    ...[id, printable(serviceName), printable(environmentName), `#${releaseNumber}`, kind],
    ...[serving ? `${state}, serving` : state, createdAt, printable(requestedBy), printable(message)],
  ];
}
