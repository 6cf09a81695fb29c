import { command } from '../engine/command.ts';
import { eventsOption } from '../engine/progress.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';
import { type Attempt, tellUpdate } from './tell-update.ts';

export const clusterRollback = command({
  summary: "Rolls a cluster's agent back to an earlier release",
  usage: 'IMAGE [--cluster SLUG] [--no-wait] [--json]',
  details: 'Earlier releases are in the history of `./ballast cluster show --json`.',
  words: { least: 1, most: 1 },
  options: {
    'no-wait': { type: 'boolean', what: 'Do not wait until it has finished.' },
    ...clusterOptions,
    ...eventsOption,
  },
  run: async ({ 'no-wait': noWait = false, ...given }, [image = '']) => {
    const { rest, path } = await chosenCluster(given);
    const attempt = await rest.call<Attempt>('POST', `${path}/agent/rollback`, { image });
    await tellUpdate(rest, path, attempt, { wait: !noWait, json: given.json ?? false });
  },
});
