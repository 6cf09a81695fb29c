import { command } from '../../engine/command.ts';
import { asTable, printable } from '../../engine/table.ts';
import { wholeNumberOf } from '../../engine/whole-number-of.ts';
import { serviceOptions } from '../../place/here.ts';
import { narrowed } from '../../place/narrowed.ts';
import type { Build } from '../follow-build.ts';

export const buildList = command({
  summary: 'Lists builds, newest first',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--open] [--tail N] [--json]',
  details: `Only the options narrow it, not the directory: without any it lists those of all projects that the token may see.
\`./ballast build show ID\` has the steps of one, \`./ballast build log ID\` its log.`,
  options: {
    open: { type: 'boolean', what: 'Only those that wait or run.' },
    tail: { type: 'string', value: 'N', what: 'At most so many; 50 by default.' },
    ...serviceOptions,
  },
  run: async ({ open, tail, ...given }) => {
    const most = wholeNumberOf('--tail', tail, 1, 10_000) ?? 50;
    const { rest, filter, words } = await narrowed(given);
    const builds = await rest.all<Build>('/builds', most, { ...filter, ...(open ? { open: 'true' } : {}) });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ builds }, undefined, 2)}\n`);
    if (builds.length === 0) return void process.stdout.write(`There is no such build in ${printable(words)}.\n`);
    const titles = ['id', 'service', 'environment', 'build', 'state', 'trigger', 'commit', 'created', 'by'];
    process.stdout.write(asTable(titles, builds.map(row)));
  },
});

function row({ id, serviceName, environmentName, number, status, trigger, ...rest }: Build): string[] {
  const commit = rest.commitSha === '' ? '' : `${rest.branch} ${rest.commitSha.slice(0, 12)}`;
  return [
    ...[id, printable(serviceName), printable(environmentName), `#${number}`, status, trigger],
    ...[printable(commit), rest.createdAt, printable(rest.requestedBy)],
  ];
}
