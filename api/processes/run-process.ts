import { z } from 'zod';
import { commandView, createCommand } from '../../db/commands/cluster-commands.ts';
import { recordService } from '../../db/services/services.ts';
import { Problem } from '../../domain/problems.ts';
import { rolloutMinor } from '../../protocol/version.ts';
import { commandSchema, existing, presentCommand } from '../commands/command.ts';
import { operation } from '../engine/operation.ts';
import { processPath, theProcess } from './process.ts';
import { runningPlace } from './running-place.ts';

export const runProcess = operation({
  method: 'POST',
  url: '/api/v1/processes/{id}/run',
  summary: 'Run a cron process in an environment now',
  description:
    'One run of its live release, besides those of its schedule. How it begins is told by `GET /environments/{id}/commands/{commandId}`, the run by `GET /processes/{id}/runs`.',
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
    const place = await runningPlace(effect, caller, process, query.environmentId);
    const { cluster, service, environment, key } = place;
    if (place.kind !== 'cron') {
      throw new Problem('conflict', `The process "${process.name}" is no cron process: restart it instead.`);
    }
    if (cluster.agent.protocolMinor < rolloutMinor) {
      throw new Problem(
        'cluster-not-ready',
        `The agent of the cluster "${cluster.name}" is too old to run a process now: update it first.`,
      );
    }
    const body = { kind: 'run', key, process: process.name };
    const id = await createCommand(effect, server.keyring, cluster, { body, expiresInSeconds: 60 });
    const details = { process: process.name, environment: environment.name, command: id };
    recordService(effect, 'service.cron_run', service, details);
    return presentCommand(existing(await commandView(effect.kysely, cluster, id)));
  },
});
