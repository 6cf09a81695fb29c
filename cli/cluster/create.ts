import type { z } from 'zod';
import type { clusterCreatedSchema } from '../../api/clusters/cluster.ts';
import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { tellToken } from './tell-token.ts';

export const clusterCreate = command({
  summary: 'Creates a cluster and prints the command that joins a machine to it',
  usage: 'NAME [--region TEXT] [--json]',
  words: { least: 1, most: 1 },
  options: { region: { type: 'string', value: 'TEXT', what: 'Where its machines are.' }, ...restOptions },
  run: async ({ region, ...given }, [name = '']) => {
    const body = region === undefined ? { name } : { name, region };
    const made = await new Rest(given).call<z.output<typeof clusterCreatedSchema>>('POST', '/clusters', body);
    if (given.json) process.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
    else tellToken(made, `The cluster ${made.cluster.slug} waits for its agent.`);
  },
});
