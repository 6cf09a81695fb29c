import { commandView } from '../../db/commands/cluster-commands.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { commandPath, commandSchema, existing, presentCommand } from './command.ts';

export const getCommand = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/commands/{commandId}',
  summary: 'Get a command',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: commandPath,
  result: commandSchema,
  async handle({ caller, path, database }) {
    const cluster = await caller.see(theCluster, path.id);
    return presentCommand(existing(await commandView(database.kysely, cluster, path.commandId)));
  },
});
