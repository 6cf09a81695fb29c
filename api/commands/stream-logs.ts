import { z } from 'zod';
import { cancelCommand, createCommand } from '../../db/commands/cluster-commands.ts';
import { effect } from '../../db/engine/effect.ts';
import { findInstance } from '../../db/workloads/cluster-instances.ts';
import { Problem } from '../../domain/problems.ts';
import type { CommandBody } from '../../protocol/command.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { refuseWithoutContact } from './command.ts';
import { LogLines } from './log-lines.ts';
import { readCommand } from './read-command.ts';

const logSchema = z
  .object({
    stream: z.enum(['stdout', 'stderr']),
    text: z.string().describe('One line, without its end.'),
    at: z.iso.datetime().optional(),
  })
  .meta({ id: 'InstanceLogLine' });
const endSchema = z
  .object({ message: z.string().describe('Why the stream ends early; empty if it is complete.') })
  .meta({ id: 'InstanceLogEnd' });

export const streamLogs = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/instances/{instanceId}/logs/stream',
  summary: 'Stream the logs of an instance',
  description:
    'One stream of all runs: lines from before a restart included. Ends after `end`: at once without `follow`, otherwise when the instance is deleted.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found', 'cluster-not-ready'],
  path: z.strictObject({ id: z.guid().toLowerCase(), instanceId: z.string().min(1).max(128) }),
  query: z.strictObject({
    tail: z.int().min(0).max(10_000).default(100).describe('How many of the last lines to start with.'),
    follow: z.boolean().default(false).describe('Whether to keep streaming new lines.'),
  }),
  stream: { kind: 'other', events: { log: logSchema, end: endSchema } },
  async *handle({ caller, path, query, database, server, signal }) {
    const cluster = await caller.see(theCluster, path.id);
    if ((await findInstance(database.kysely, cluster, path.instanceId)) === undefined) {
      throw new Problem('not-found', `The agent of "${cluster.name}" sees no such instance.`);
    }
    refuseWithoutContact(cluster);
    const body: CommandBody = { kind: 'logs', instance: path.instanceId, ...query };
    const id = await effect(database, caller.author, (running) =>
      createCommand(running, server.keyring, cluster, { body, expiresInSeconds: 30 }),
    );
    let over = false;
    // By the signal too: a reader that has left never asks for the next line.
    const cancel = () => {
      if (over) return;
      over = true;
      effect(database, caller.author, (running) => cancelCommand(running, cluster, id)).catch((error: unknown) => {
        server.log.warn({ command: id, err: error }, 'Logs that nobody reads any more could not be cancelled');
      });
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const lines = new LogLines();
      for await (const told of readCommand(server, cluster, { id, after: -1 }, signal)) {
        if ('piece' in told) {
          for (const line of lines.of(told.piece)) yield { event: 'log', data: line };
        } else {
          over = true;
          for (const line of lines.rest()) yield { event: 'log', data: line };
          yield { event: 'end', data: { message: told.ended.message ?? '' } };
        }
      }
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  },
});
