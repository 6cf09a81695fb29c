import { chosenCluster, clusterOptions } from '../cluster/chosen-cluster.ts';
import { command } from '../engine/command.ts';
import { finishedCommand } from '../engine/command-end.ts';
import { RestRefusal } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';

export const clusterRestart = command({
  summary: 'Restarts a workload: replaces its instances one after the other',
  usage: 'WORKLOAD [--process NAME] [--cluster SLUG] [--json]',
  details: 'Release and image stay the same. The command waits until the new instances have taken over.',
  words: { least: 1, most: 1 },
  options: {
    process: { type: 'string', value: 'NAME', what: 'Only this process of it.' },
    ...clusterOptions,
  },
  run: async ({ process: only, ...given }, [workload = '']) => {
    const { rest, path } = await chosenCluster(given);
    const body = { kind: 'restart', workload, ...(only === undefined ? {} : { process: only }) };
    const { id } = await rest.call<{ id: string }>('POST', `${path}/commands`, body);
    const finished = await finishedCommand(rest, `${path}/commands/${id}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ id, ...finished })}\n`);
    if (finished.state !== 'done') throw new RestRefusal(finished.message || `The restart is ${finished.state}.`);
    if (!given.json) process.stdout.write(`${printable(workload)} is restarted.\n`);
  },
});
