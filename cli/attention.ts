import type { z } from 'zod';
import type { attentionSchema } from '../api/attention/operations.ts';
import { command } from './engine/command.ts';
import { listed } from './engine/outcome.ts';
import { Rest, restOptions } from './engine/rest.ts';

type Attention = z.output<typeof attentionSchema>;

export const attention = command({
  summary: 'Lists what is broken or waits for a person, the most urgent first',
  usage: '[--json]',
  details: `As the first page of the console does. To admins it also shows guards of production that were loosened in the last seven days, with what was
deployed meanwhile; \`./ballast guard undo ID\` makes one again what it was.`,
  options: restOptions,
  run: async (given) => {
    const items = await new Rest(given).all<Attention>('/attention');
    return listed({ attention: items }, 'All clear.', {
      kind: 'kind',
      on: placeText,
      name: 'name',
      '': ({ loosening, detail }) => (loosening === undefined ? detail : loosenedText(loosening)),
    });
  },
});

function placeText({ cluster, deployment, build }: Attention): string | undefined {
  const at = deployment ?? build;
  return cluster?.name ?? (at && `${at.projectName} / ${at.environmentName}`);
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
