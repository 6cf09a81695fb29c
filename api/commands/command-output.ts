import { type BuildPiece, takeBuildOutput } from '../../db/builds/output.ts';
import { noSuchCommand, ownCommand } from '../../db/commands/cluster-commands.ts';
import { type NewOutput, saidTooMuch, writeOutput } from '../../db/commands/command-output.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { takeBackupProgress } from '../../db/volume-backups/volume-backups.ts';
import { takeRestoreProgress } from '../../db/volume-backups/volume-restores.ts';
import { parseActorId } from '../../domain/actors/actors.ts';
import { isId } from '../../domain/ids.ts';
import { Problem } from '../../domain/problems.ts';
import { buildProgress } from '../../protocol/build.ts';
import { outputBatch } from '../../protocol/command.ts';
import { backupProgress, restoreProgress } from '../../protocol/volume.ts';
import type { AdmittedAgent } from '../agent-link/admit-agent.ts';
import { incarnationRoute, mustFit } from '../agent-link/agent-route.ts';

/** The output of a command, piece by piece. A piece that is sent twice counts once. */
export const commandOutput = incarnationRoute({
  method: 'POST',
  url: 'commands/:id/output',
  body: outputBatch,
  bodyLimit: 4 * 1024 * 1024,
  async handle({ server, body, id }, agent): Promise<void> {
    if (!isId(id)) throw noSuchCommand();
    const last = Math.max(...body.pieces.map(({ number }) => number));
    mustFit('body.pieces', last);
    const pieces = body.pieces.map(({ number, stream, data, at }) => ({
      number,
      stream,
      data: Buffer.from(data, 'base64'),
      at: at === undefined ? null : new Date(at),
    }));
    const kind = await effect(server.database, agent.author, async (writing) => {
      const command = await ownCommand(writing.kysely, agent.cluster, id).executeTakeFirst();
      // Agents of before protocol 1.1 read logs by a command: nobody takes that any more, so they stop.
      if (command === undefined || command.kind === 'logs') throw noSuchCommand();
      if (command.kind === 'build') {
        await takeBuildOutput(
          writing,
          server.keyring,
          { id, organizationId: agent.organizationId },
          pieces.map(buildPiece),
        );
        return 'build';
      }
      if (command.kind === 'backup-volume' || command.kind === 'restore-volume') {
        await takeTransfer(writing, command.kind, { id, organizationId: agent.organizationId }, pieces);
        return undefined;
      }
      if (await saidTooMuch(writing.kysely, id, last)) {
        throw new Problem('body-too-large', 'The output of this command exceeds the limit; ask for less of it.');
      }
      const { organizationId } = agent;
      const fresh = await writeOutput(writing.kysely, server.keyring, { id, organizationId }, pieces);
      if (fresh.length === 0) return undefined;
      writing.change({ organizationId, kind: 'cluster_command', id });
      if (command.kind === 'update') tellProgress(writing, agent, command.actorId, fresh);
      return undefined;
    });
    // Its readers in this process need not wait for the feed.
    if (kind === 'build') server.buildLogs.told(id);
  },
});

/** A piece that says what it should not is left out: the build goes on without it. */
function buildPiece({ number, stream, data, at }: NewOutput): BuildPiece {
  const piece = { number, at: at ?? new Date() };
  if (stream !== 'progress') return { ...piece, text: data.toString('utf8') };
  const parsed = buildProgress.safeParse(jsonOf(data));
  return parsed.success ? { ...piece, progress: parsed.data } : piece;
}

/** Only the last word counts of how far it is. */
async function takeTransfer(
  effect: Effect,
  kind: 'backup-volume' | 'restore-volume',
  of: { id: string; organizationId: string },
  pieces: NewOutput[],
): Promise<void> {
  const last = pieces.filter(({ stream }) => stream === 'progress').at(-1);
  const said = last && jsonOf(last.data);
  if (kind === 'backup-volume') {
    const progress = backupProgress.safeParse(said).data;
    if (progress !== undefined) await takeBackupProgress(effect, of, progress);
  } else {
    const progress = restoreProgress.safeParse(said).data;
    if (progress !== undefined) await takeRestoreProgress(effect, of, progress);
  }
}

function jsonOf(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** An update names its phases early: an agent that keeps talking must not fill the actor's history. */
const soonEnough = 100;

/** The actor of an update follows what the agent tells of it. */
function tellProgress(effect: Effect, agent: AdmittedAgent, actorId: string | null, pieces: NewOutput[]): void {
  const actor = actorId === null ? undefined : parseActorId(actorId);
  if (actor === undefined) return;
  const said = pieces
    .filter(({ stream, number }) => stream === 'progress' && number < soonEnough)
    .map(({ data }) => data.toString('utf8'))
    .join('\n')
    .toLowerCase();
  for (const phase of ['downloading', 'switching']) {
    if (!said.includes(phase)) continue;
    const { organizationId } = agent;
    effect.tell({ to: `${actor.kind}/${actor.rowId}`, message: 'progress', organizationId, body: { phase } });
  }
}
