import { confirmLoss, yesOption } from '../deleted/confirm-loss.ts';
import { command, UsageError } from '../engine/command.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';

export const clusterDelete = command({
  summary: 'Deletes an empty cluster',
  usage: '--cluster SLUG [--yes] [--json]',
  details:
    'Asks for its name; elsewhere than at a terminal `--yes` is the answer. Its agent leaves, and nobody can restore it.',
  options: { ...yesOption(), ...clusterOptions },
  run: async ({ yes, ...given }) => {
    // Irreversible: the cluster is never guessed.
    if (given.cluster === undefined) throw new UsageError('Say which cluster by --cluster, such as --cluster berlin.');
    const { rest, cluster, path } = await chosenCluster(given);
    const { id, slug, name } = cluster;
    if (yes !== true && !(await confirmLoss({ noun: 'cluster', called: slug, name }, []))) return;
    await rest.call('DELETE', path);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, slug } })}\n`);
    else process.stdout.write(`The cluster ${slug} is being deleted.\n`);
  },
});
