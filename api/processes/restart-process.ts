import { z } from 'zod';
import { commandView, createCommand } from '../../db/commands/cluster-commands.ts';
import { recordService } from '../../db/services/services.ts';
import { commandSchema, existing, presentCommand } from '../commands/command.ts';
import { operation } from '../engine/operation.ts';
import { processPath, theProcess } from './process.ts';
import { runningPlace } from './running-place.ts';

export const restartProcess = operation({
  method: 'POST',
  url: '/api/v1/processes/{id}/restart',
  summary: 'Restart a process in an environment',
  description:
    'Replaces the instances of its live release one after the other. How it ends is told by `GET /environments/{id}/commands/{commandId}`.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'service-suspended', 'cluster-not-ready'],
  path: processPath,
  query: z.strictObject({ environmentId: z.guid().toLowerCase() }),
  status: 202,
  result: commandSchema,
  async handle({ caller, path, query, effect, server }) {
    const process = await caller.see(theProcess, path.id, effect.kysely);
    const { cluster, service, environment, key } = await runningPlace(effect, caller, process, query.environmentId);
    const body = { kind: 'restart', key, process: process.name };
    const id = await createCommand(effect, server.keyring, cluster, { body, expiresInSeconds: 60 });
    const details = { process: process.name, environment: environment.name, command: id };
    recordService(effect, 'service.process_restarted', service, details);
    return presentCommand(existing(await commandView(effect.kysely, cluster, id)));
  },
});
