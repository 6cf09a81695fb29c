import type { z } from 'zod';
import type { attentionSchema } from '../api/attention/operations.ts';
import { command } from './engine/command.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { asTable, printable } from './engine/table.ts';

type Attention = z.output<typeof attentionSchema>;

export const attention = command({
  summary: 'Lists what is broken or waits for a person, the most urgent first',
  usage: '[--json]',
  details: `As the first page of the console does. To admins it also shows guards of production that were loosened in the last seven days, with what was
deployed meanwhile; \`./ballast guard undo ID\` makes one again what it was.`,
  options: restOptions,
  run: async (given) => {
    const items = await new Rest(given).all<Attention>('/attention');
    if (given.json) return void process.stdout.write(`${JSON.stringify({ attention: items }, undefined, 2)}\n`);
    if (items.length === 0) return void process.stdout.write('All clear.\n');
    process.stdout.write(asTable(['kind', 'on', 'name', ''], items.map(rowOf)));
  },
});

function rowOf(item: Attention): string[] {
  const { kind, cluster, name = '', deployment, build, loosening, detail } = item;
  const at = deployment ?? build;
  const on = cluster?.name ?? (at === undefined ? '' : `${at.projectName} / ${at.environmentName}`);
  return [kind, on, name, loosening === undefined ? detail : loosenedText(loosening)].map(printable);
}

function loosenedText(loosening: NonNullable<Attention['loosening']>): string {
  const { id, title, by, createdAt, endedAt, endedBy, undone, deployed, deployedCount } = loosening;
  const first = deployed.slice(0, 3).map((one) => `#${one.releaseNumber} of ${one.serviceName} (${one.id})`);
  const more = deployedCount > first.length ? ` and ${deployedCount - first.length} more` : '';
  const meanwhile = deployedCount === 0 ? 'nothing was deployed meanwhile' : `deployed: ${first.join(', ')}${more}`;
  const ended =
    endedAt === undefined
      ? `\`./ballast guard undo ${id}\` undoes it`
      : `${undone ? 'undone' : 'changed again'} by ${endedBy} ${endedAt}`;
  return `${title}, by ${by} ${createdAt}; ${meanwhile}; ${ended}`;
}
