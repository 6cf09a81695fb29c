import { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import {
  cancelCommand as cancel,
  commandView,
  createCommand as newCommand,
} from '../../db/commands/cluster-commands.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { findSlice } from '../../db/workloads/cluster-slices.ts';
import { findInstance } from '../../db/workloads/instances.ts';
import { commandStates, isCommandOver } from '../../domain/clusters/clusters.ts';
import { Problem } from '../../domain/problems.ts';
import type { CommandBody } from '../../protocol/command.ts';
import { workload } from '../../protocol/workload.ts';
import { theCluster } from '../clusters/cluster.ts';
import { invalidField } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { sliceKeyOf, workloadName } from '../workloads/workload.ts';
import { commandPath, commandSchema, existing, presentCommand, readCommand, refuseWithoutContact } from './command.ts';

const cancelCommand = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/commands/{commandId}',
  summary: 'Cancel a command',
  description: 'A command that the agent has not taken never starts; a running one is stopped by the agent.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'already-decided'],
  of: theCluster,
  path: commandPath,
  result: commandSchema,
  async handle({ found: cluster, path, effect }) {
    const before = existing(await commandView(effect.kysely, cluster, path.commandId));
    if (before.kind === 'update') {
      throw new Problem('conflict', 'This is part of an update of the agent: cancel the update itself.');
    }
    const state = await cancel(effect, cluster, before.id);
    const after = existing(await commandView(effect.kysely, cluster, before.id));
    if (state !== undefined && isCommandOver(state) && state !== 'cancelled') {
      throw new Problem('already-decided', `The command has finished: it is ${state}.`);
    }
    effect.audit('cluster.command_cancelled', cluster, { command: before.id, kind: before.kind });
    return presentCommand(after);
  },
});

const body = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('exec'),
    instance: z.string().min(1).max(128).describe('The id of the instance.'),
    command: z
      .array(z.string().max(32_768))
      .min(1)
      .max(1000)
      .meta({ writeOnly: true })
      .describe('The program and its arguments; no shell reads it. Stored encrypted and never answered back.'),
    timeoutSeconds: z.int().min(1).max(3600).default(60),
  }),
  z.strictObject({
    kind: z.literal('restart'),
    workload: workloadName,
    process: workloadName.optional().describe('Only this process of it.'),
  }),
]);
type Body = z.output<typeof body>;

const createCommand = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/commands',
  summary: 'Create a command for the agent of a cluster',
  description:
    '`exec` runs a program within an instance; `restart` replaces the instances of a workload one after the other. What it says and how it ends is on its stream.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['cluster-not-ready'],
  of: theCluster,
  body,
  status: 202,
  result: commandSchema,
  async handle({ found: cluster, body, effect, server }) {
    const asked = await checked(effect, cluster, body);
    refuseWithoutContact(cluster);
    const id = await newCommand(effect, server.keyring, cluster, { body: asked, expiresInSeconds: 60 });
    // Arguments may hold secrets: the audit log names the program alone.
    const details =
      body.kind === 'exec'
        ? { instance: body.instance, program: body.command[0] ?? '' }
        : { workload: body.workload, ...(body.process === undefined ? {} : { process: body.process }) };
    effect.audit(`cluster.${body.kind}`, cluster, { command: id, ...details });
    return presentCommand(existing(await commandView(effect.kysely, cluster, id)));
  },
});

/** Refuses a command about something that is not there. */
async function checked(effect: Effect, cluster: ClusterView, body: Body): Promise<CommandBody> {
  const fault = (field: string, message: string, value: string) => invalidField(`body.${field}`, message, value);
  if (body.kind === 'exec') {
    if ((await findInstance(effect.kysely, cluster, body.instance)) !== undefined) return body;
    throw fault('instance', 'is no instance that the agent sees on this cluster', body.instance);
  }
  const key = sliceKeyOf(body.workload);
  const slice = await findSlice(effect.kysely, cluster, key);
  if (slice === undefined || slice.removedAt !== null) {
    throw fault('workload', 'is no workload of this cluster', body.workload);
  }
  const { process } = body;
  if (process === undefined) return { kind: 'restart', key };
  const processes = workload.safeParse(slice.workload).data?.processes ?? [];
  if (!processes.some(({ name }) => name === process)) {
    throw fault('process', `is no process of the workload "${body.workload}"`, process);
  }
  return { kind: 'restart', key, process };
}

const getCommand = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/commands/{commandId}',
  summary: 'Get a command',
  role: 'admin',
  projectTokens: 'refused',
  of: theCluster,
  path: commandPath,
  result: commandSchema,
  async handle({ found: cluster, path, database }) {
    return presentCommand(existing(await commandView(database.kysely, cluster, path.commandId)));
  },
});

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

const streamCommand = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/commands/{commandId}/stream',
  summary: 'Stream the output of a command',
  description: 'Ends after `finished`. Output is kept for a day.',
  role: 'admin',
  projectTokens: 'refused',
  of: theCluster,
  path: commandPath,
  query: z.strictObject({
    after: z.int().min(-1).default(-1).describe('Only what comes behind this number.'),
  }),
  stream: { kind: 'other', events: { output: outputSchema, finished: finishedSchema } },
  async *handle({ found: cluster, path, query, database, server, signal }) {
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

export const commands = { create: createCommand, get: getCommand, cancel: cancelCommand, stream: streamCommand };
