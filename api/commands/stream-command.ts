import { z } from 'zod';
import { commandView } from '../../db/commands/cluster-commands.ts';
import { commandStates } from '../../domain/clusters/commands.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';
import { commandPath, existing } from './command.ts';
import { readCommand } from './read-command.ts';

const outputSchema = z
  .object({
    number: z.int().describe('Its position; pass it as `after` to continue behind it.'),
    stream: z.enum(['stdout', 'stderr', 'progress']),
    data: z.string().describe('Base64.'),
    at: z.iso.datetime().optional(),
  })
  .meta({ id: 'CommandOutput' });
const finishedSchema = z
  .object({ state: z.enum(commandStates), exitCode: z.int().optional(), message: z.string() })
  .meta({ id: 'CommandFinished' });

export const streamCommand = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/commands/{commandId}/stream',
  summary: 'Stream the output of a command',
  description: 'Ends after `finished`. Output is kept for a day.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: commandPath,
  query: z.strictObject({
    after: z.int().min(-1).default(-1).describe('Only what comes behind this number.'),
  }),
  stream: { kind: 'other', events: { output: outputSchema, finished: finishedSchema } },
  async *handle({ caller, path, query, database, server, signal }) {
    const cluster = await caller.see(theCluster, path.id);
    const { id } = existing(await commandView(database.kysely, cluster, path.commandId));
    for await (const told of readCommand(server, cluster, { id, after: query.after }, signal)) {
      if ('piece' in told) {
        const { number, stream, data, at } = told.piece;
        const when = at === null ? {} : { at: at.toISOString() };
        yield { event: 'output', data: { number, stream, data: data.toString('base64'), ...when }, id: String(number) };
      } else {
        const { state, exitCode, message } = told.ended;
        const code = exitCode === null ? {} : { exitCode };
        yield { event: 'finished', data: { state, ...code, message: message ?? '' } };
      }
    }
  },
});
