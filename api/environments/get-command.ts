import { z } from 'zod';
import { environmentCommand } from '../../db/commands/environment-command.ts';
import { Problem } from '../../domain/problems.ts';
import { commandSchema, presentCommand } from '../commands/command.ts';
import { operation } from '../engine/operation.ts';
import { theEnvironment } from './environment.ts';

export const getEnvironmentCommand = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/commands/{commandId}',
  summary: 'Get a command about a service of an environment, such as a restart',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: z.strictObject({ id: z.guid().toLowerCase(), commandId: z.guid().toLowerCase() }),
  result: commandSchema,
  async handle({ caller, path, server }) {
    const environment = await caller.see(theEnvironment, path.id);
    const command = await environmentCommand(server, environment, path.commandId);
    if (command !== undefined) return presentCommand(command);
    throw new Problem('not-found', 'There is no such command about this environment.');
  },
});
