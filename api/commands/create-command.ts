import { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import { commandView, createCommand as newCommand } from '../../db/commands/cluster-commands.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { findInstance } from '../../db/workloads/cluster-instances.ts';
import { findSlice } from '../../db/workloads/cluster-slices.ts';
import type { CommandBody } from '../../protocol/command.ts';
import { workload } from '../../protocol/workload.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { sliceKeyOf, workloadName } from '../workloads/workload.ts';
import { commandSchema, existing, presentCommand, refuseWithoutContact } from './command.ts';

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

export const createCommand = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/commands',
  summary: 'Create a command for the agent of a cluster',
  description:
    '`exec` runs a program within an instance; `restart` replaces the instances of a workload one after the other. What it says and how it ends is on its stream.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'cluster-not-ready'],
  path: clusterPath,
  body,
  status: 202,
  result: commandSchema,
  async handle({ caller, path, body, effect, server }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    const asked = await checked(effect, cluster, body);
    refuseWithoutContact(cluster);
    const id = await newCommand(effect, server.keyring, cluster, { body: asked, expiresInSeconds: 60 });
    // Arguments may hold secrets: the audit log names the program alone.
    const details =
      body.kind === 'exec'
        ? { instance: body.instance, program: body.command[0] ?? '' }
        : { workload: body.workload, ...(body.process === undefined ? {} : { process: body.process }) };
    effect.audit({
      action: `cluster.${body.kind}`,
      organizationId: cluster.organizationId,
      subjectKind: 'cluster',
      subjectId: cluster.id,
      subjectName: cluster.name,
      details: { command: id, ...details },
    });
    return presentCommand(existing(await commandView(effect.kysely, cluster, id)));
  },
});

/** Refuses a command about something that is not there. */
async function checked(effect: Effect, cluster: ClusterView, body: Body): Promise<CommandBody> {
  const fault = (field: string, message: string, value: string) =>
    invalidFields([{ location: `body.${field}`, message, value }]);
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
