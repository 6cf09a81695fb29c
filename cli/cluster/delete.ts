import { command, UsageError } from '../engine/command.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';

export const clusterDelete = command({
  summary: 'Deletes an empty cluster',
  usage: '--cluster SLUG [--json]',
  options: clusterOptions,
  run: async (given) => {
    // Irreversible: the cluster is never guessed.
    if (given.cluster === undefined) throw new UsageError('Say which cluster by --cluster, such as --cluster berlin.');
    const { rest, cluster, path } = await chosenCluster(given);
    await rest.call('DELETE', path);
    const { id, slug } = cluster;
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, slug } })}\n`);
    else process.stdout.write(`The cluster ${slug} is being deleted.\n`);
  },
});
