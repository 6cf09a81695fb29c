import { command } from '../engine/command.ts';
import { eventsOption } from '../engine/progress.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';
import { type Attempt, tellUpdate } from './tell-update.ts';

export const clusterUpdate = command({
  summary: "Updates a cluster's agent to the release that the control plane offers",
  usage: '[--cluster SLUG] [--image IMAGE] [--cancel] [--no-wait] [--json]',
  details: `Instances keep running meanwhile. An agent whose new release does not work rolls back by itself.`,
  options: {
    image: { type: 'string', value: 'IMAGE', what: 'Another release than the one that is offered.' },
    cancel: { type: 'boolean', what: 'Cancel the update that is under way, if the agent does not switch yet.' },
    'no-wait': { type: 'boolean', what: 'Do not wait until it has finished.' },
    ...clusterOptions,
    ...eventsOption,
  },
  run: async ({ image, cancel, 'no-wait': noWait = false, ...given }) => {
    const { rest, path } = await chosenCluster(given);
    const body = image === undefined ? {} : { image };
    const attempt = await (cancel
      ? rest.call<Attempt>('DELETE', `${path}/agent/update`)
      : rest.call<Attempt>('POST', `${path}/agent/update`, body));
    await tellUpdate(rest, path, attempt, { wait: !noWait && !cancel, json: given.json ?? false });
  },
});
