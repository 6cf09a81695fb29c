import { cancelCommand as cancel, commandView } from '../../db/commands/cluster-commands.ts';
import { isCommandOver } from '../../domain/clusters/commands.ts';
import { Problem } from '../../domain/problems.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { commandPath, commandSchema, existing, presentCommand } from './command.ts';

export const cancelCommand = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/commands/{commandId}',
  summary: 'Cancel a command',
  description: 'A command that the agent has not taken never starts; a running one is stopped by the agent.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'already-decided'],
  path: commandPath,
  result: commandSchema,
  async handle({ caller, path, effect }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    const before = existing(await commandView(effect.kysely, cluster, path.commandId));
    if (before.kind === 'update') {
      throw new Problem('conflict', 'This is part of an update of the agent: cancel the update itself.');
    }
    const state = await cancel(effect, cluster, before.id);
    const after = existing(await commandView(effect.kysely, cluster, before.id));
    if (state !== undefined && isCommandOver(state) && state !== 'cancelled') {
      throw new Problem('already-decided', `The command has finished: it is ${state}.`);
    }
    effect.audit({
      action: 'cluster.command_cancelled',
      organizationId: cluster.organizationId,
      subjectKind: 'cluster',
      subjectId: cluster.id,
      subjectName: cluster.name,
      details: { command: before.id, kind: before.kind },
    });
    return presentCommand(after);
  },
});
