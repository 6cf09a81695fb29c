import { chosenCluster, clusterOptions } from '../cluster/chosen-cluster.ts';
import { command } from '../engine/command.ts';
import { printable } from '../engine/table.ts';

export const clusterRemove = command({
  summary: 'Removes a workload from a cluster',
  usage: 'WORKLOAD [--cluster SLUG] [--json]',
  details: 'The instances finish their work and are stopped. Volumes stay on the machine.',
  words: { least: 1, most: 1 },
  options: clusterOptions,
  run: async (given, [workload = '']) => {
    const { rest, path } = await chosenCluster(given);
    await rest.call('DELETE', `${path}/workloads/${encodeURIComponent(workload)}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ removed: workload })}\n`);
    else
      process.stdout.write(`${printable(workload)} is being removed; \`./ballast cluster ps\` shows what is left.\n`);
  },
});
