import { command } from '../../engine/command.ts';
import { Rest, restOptions } from '../../engine/rest.ts';
import { asLines, asTable, printable } from '../../engine/table.ts';
import type { Deployment } from '../deployment.ts';

export const deploymentShow = command({
  summary: 'Shows a deployment with its stages',
  usage: 'DEPLOYMENT [--json]',
  details: 'By its id, as `./ballast deployment list` has it.',
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [id = '']) => {
    const deployment = await new Rest(given).call<Deployment>('GET', `/deployments/${encodeURIComponent(id)}`);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ deployment }, undefined, 2)}\n`);
    const { kind, state, serving, blocker, message, approvalId = '', rerunOf = '', rerunId = '' } = deployment;
    const { failure, finishedAt = '', stages } = deployment;
    process.stdout.write(
      asLines([
        ['deployment', `${deployment.id}, ${kind}`],
        ['of', `release #${deployment.releaseNumber} of "${deployment.serviceName}"`],
        ['in', `"${deployment.environmentName}" of "${deployment.projectName}"`],
        ['state', serving ? `${state}, its release serves` : state],
        ['blocker', blocker],
        ['message', message],
        ['approval', approvalId],
        ['change set', deployment.changeSetId ?? ''],
        ['rerun of', rerunOf],
        ['rerun as', rerunId],
        ['requested by', deployment.requestedBy],
        ['created', deployment.createdAt],
        ['finished', finishedAt],
      ]),
    );
    if (stages.length > 0) {
      const rows = stages.map(({ stage, startedAt, endedAt = '', detail }) => [
        stage,
        startedAt,
        endedAt,
        printable(detail),
      ]);
      process.stdout.write(`\n${asTable(['stage', 'began', 'ended', ''], rows)}`);
    }
    for (const line of failure?.lines ?? []) process.stdout.write(`  ${printable(line)}\n`);
  },
});
