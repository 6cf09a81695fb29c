import { command } from '../engine/command.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';
import { type Attempt, tellUpdate } from './tell-update.ts';

export const clusterRollback = command({
  summary: "Puts a release on a cluster's agent that it ran before",
  usage: 'IMAGE [--cluster SLUG] [--no-wait] [--json]',
  details: 'The releases that it ran are in the history of `./ballast cluster show --json`.',
  words: { least: 1, most: 1 },
  options: { 'no-wait': { type: 'boolean', what: 'Do not wait until it is over.' }, ...clusterOptions },
  run: async ({ 'no-wait': noWait = false, ...given }, [image = '']) => {
    const { rest, path } = await chosenCluster(given);
    const attempt = await rest.call<Attempt>('POST', `${path}/agent/rollback`, { image });
    await tellUpdate(rest, path, attempt, { wait: !noWait, json: given.json ?? false });
  },
});
