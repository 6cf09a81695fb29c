import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { ClusterRef, ClusterView } from '../../db/clusters/clusters.ts';
import { type CommandView, commandView, finishCommand, noSuchCommand } from '../../db/commands/cluster-commands.ts';
import { type OutputView, readOutput } from '../../db/commands/command-output.ts';
import { effect } from '../../db/engine/effect.ts';
import { noteReplaced } from '../../db/volume-backups/volume-restores.ts';
import { commandStates, isCommandOver } from '../../domain/clusters/clusters.ts';
import { isId } from '../../domain/ids.ts';
import { Problem } from '../../domain/problems.ts';
import { commandResult as commandResultBody } from '../../protocol/command.ts';
import { incarnationRoute, mustFit } from '../agent-link/agent-route.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { deleteUnclaimed } from '../volume-backups/stored-object.ts';

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

export function presentCommand(command: CommandView): AnswerOf<typeof commandSchema> {
  return { ...command, message: command.message ?? '', cancelRequested: command.cancelRequestedAt !== null };
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

/** How a command ended. A result that comes twice wakes the waiting actor once. */
export const commandResult = incarnationRoute({
  method: 'POST',
  url: 'commands/:id/result',
  body: commandResultBody,
  async handle({ server, body, id }, agent): Promise<void> {
    if (!isId(id)) throw noSuchCommand();
    mustFit('body', body.attempt, body.exitCode);
    await effect(server.database, agent.author, async (finishing) => {
      await finishCommand(finishing, agent.cluster, id, body);
      // Whatever became of the command and of its actor meanwhile: that is where the data are.
      if (body.replaced !== undefined) await noteReplaced(finishing, agent.cluster, id, body.replaced);
    });
    if (body.stored !== undefined) await deleteUnclaimed(server, agent.organizationId, id);
  },
});

const shortestPause = 100;
const longestPause = 1_000;
const page = 200;

/** The output after a piece, as it comes, and the result at the end. Stops when the signal says so. */
export async function* readCommand(
  { database: { kysely }, keyring }: Pick<ServerParts, 'database' | 'keyring'>,
  cluster: ClusterRef,
  { id, after }: { id: string; after: number },
  signal: AbortSignal,
): AsyncGenerator<{ piece: OutputView } | { ended: CommandView }, void, undefined> {
  let wait = shortestPause;
  let last = after;
  while (!signal.aborted) {
    // The state is read first: all output from before its end is there by then.
    const command = await commandView(kysely, cluster, id);
    const pieces = await readOutput(kysely, keyring, { id, organizationId: cluster.organizationId }, last, page);
    for (const piece of pieces) yield { piece };
    last = pieces.at(-1)?.number ?? last;
    if (pieces.length === page) continue;
    if (command === undefined) return;
    if (isCommandOver(command.state)) {
      yield { ended: command };
      return;
    }
    wait = pieces.length > 0 ? shortestPause : Math.min(wait * 1.5, longestPause);
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    readonly cancellations: Cancellations;
  }
}

const againMillis = 6_000;
const most = 10_000;

/** Which cancellations this process has passed on a moment ago. Another process says it again; that does no harm. */
export class Cancellations {
  readonly #toldAt = new Map<string, number>();

  isDue(commandId: string): boolean {
    const now = performance.now();
    const toldAt = this.#toldAt.get(commandId);
    if (toldAt !== undefined && now - toldAt < againMillis) return false;
    this.#toldAt.delete(commandId);
    this.#toldAt.set(commandId, now);
    // The oldest come first.
    for (const [id, at] of this.#toldAt) {
      if (now - at < againMillis && this.#toldAt.size <= most) break;
      this.#toldAt.delete(id);
    }
    return true;
  }
}
