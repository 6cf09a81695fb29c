import type { z } from 'zod';
import type { enrollmentTokenSchema } from '../../api/clusters/cluster.ts';
import { command } from '../engine/command.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';
import { tellToken } from './tell-token.ts';

export const clusterToken = command({
  summary: 'Creates another enrollment token and prints the command that uses it',
  usage: '[--cluster SLUG] [--json]',
  details: 'An enrolled agent is replaced by the one that uses the token.',
  options: clusterOptions,
  run: async (given) => {
    const { rest, cluster, path } = await chosenCluster(given);
    const made = await rest.call<z.output<typeof enrollmentTokenSchema>>('POST', `${path}/enrollment-token`);
    if (given.json) process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    else tellToken(made, `For the cluster ${cluster.slug}.`);
  },
});
