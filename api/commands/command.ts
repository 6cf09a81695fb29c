import { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';
import type { CommandView } from '../../db/commands/cluster-commands.ts';
import { commandStates } from '../../domain/clusters/commands.ts';
import { Problem } from '../../domain/problems.ts';

export const commandSchema = z
  .object({
    id: z.guid(),
    clusterId: z.guid(),
    kind: z.string().describe('exec, restart, run or update.'),
    state: z.enum(commandStates),
    exitCode: z.int().optional().describe('Of what was run, once it has ended.'),
    message: z.string().describe('The reason for its end; may be empty.'),
    cancelRequested: z.boolean(),
    requestedBy: z.object({ kind: z.string(), id: z.string(), name: z.string() }),
    createdAt: z.iso.datetime(),
    deliveredAt: z.iso.datetime().optional().describe('When the agent took it.'),
    finishedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'ClusterCommand' });

export const commandPath = z.strictObject({ id: z.guid().toLowerCase(), commandId: z.guid().toLowerCase() });

export function presentCommand(command: CommandView): z.output<typeof commandSchema> {
  const { cancelRequestedAt, exitCode, message, createdAt, deliveredAt, finishedAt, ...rest } = command;
  return {
    ...rest,
    ...(exitCode === null ? {} : { exitCode }),
    message: message ?? '',
    cancelRequested: cancelRequestedAt !== null,
    createdAt: createdAt.toISOString(),
    ...(deliveredAt === null ? {} : { deliveredAt: deliveredAt.toISOString() }),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  };
}

export function existing(command: CommandView | undefined): CommandView {
  if (command !== undefined) return command;
  throw new Problem('not-found', 'There is no such command on this cluster.');
}

/** A command that nobody would take is refused at once, instead of when it expires. */
export function refuseWithoutContact(cluster: ClusterView): void {
  if (cluster.agent.contact === 'connected' && cluster.state !== 'deleting') return;
  throw new Problem(
    'cluster-not-ready',
    `Lost contact with the agent of the cluster "${cluster.name}": try again when it is back.`,
  );
}
