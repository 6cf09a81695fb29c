import type { z } from 'zod';
import type { instanceSchema } from '../../api/workloads/workload.ts';
import { chosenCluster, clusterOptions } from '../cluster/chosen-cluster.ts';
import { command } from '../engine/command.ts';
import { asTable, printable } from '../engine/table.ts';

type Instance = z.output<typeof instanceSchema>;

export const clusterPs = command({
  summary: 'Lists the instances on a cluster, as its agent sees them',
  usage: '[--cluster SLUG] [--json]',
  options: clusterOptions,
  run: async (given) => {
    const { rest, path } = await chosenCluster(given);
    const instances = await rest.all<Instance>(`${path}/instances`);
    if (given.json) process.stdout.write(`${JSON.stringify({ instances }, undefined, 2)}\n`);
    else if (instances.length === 0) process.stdout.write('Nothing runs there; see `./ballast cluster apply`.\n');
    else
      process.stdout.write(asTable(['instance', 'workload', 'release', 'state', 'run', 'since', ''], rows(instances)));
  },
});

function rows(instances: Instance[]): string[][] {
  return instances.map(({ id, workload, release, releaseNumber, state, run, startedAt, exit, message, asOf }) => [
    printable(id),
    printable(workload),
    releaseNumber === undefined ? printable(release) : String(releaseNumber),
    asOf?.inContact === false ? `${state} (last known)` : state,
    String(run),
    startedAt ?? '',
    printable(message ?? endOf(exit)),
  ]);
}

function endOf(exit: Instance['exit']): string {
  if (exit === undefined) return '';
  const how = exit.signal === undefined ? `exit code ${exit.code ?? 'unknown'}` : `signal ${exit.signal}`;
  return `last ended with ${how}`;
}
