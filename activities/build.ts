import { sql } from 'kysely';
import { notifyEnded } from '../db/builds/build-notices.ts';
import { askAgent, callNext, lockBuild, lockTurns, refusedTurn } from '../db/builds/claim.ts';
import { lockChangeSet, tellChangeSet } from '../db/builds/of-change-set/awaited.ts';
import { composeBuilt, deployBuilt } from '../db/builds/release-build.ts';
import { cancelCommand, commandView } from '../db/commands/cluster-commands.ts';
import { type Effect, effect } from '../db/engine/effect.ts';
import { project } from '../db/engine/projection.ts';
import { answerTo, rowSays } from '../db/workflows/actor-rows.ts';
import type { RowSays } from '../domain/actors/actor-descriptor.ts';
import { type BuildState, type FinalBuildState, finalBuildStates } from '../domain/builds/states.ts';
import { type CommandEnded, isCommandOver } from '../domain/clusters/clusters.ts';
import { Problem } from '../domain/problems.ts';
import { actorAuthor } from './caller.ts';
import { tellHost } from './commit-status.ts';
import type { ActivityParts } from './index.ts';

interface Ref {
  buildId: string;
  organizationId: string;
}

/** The answer of an activity that writes to the row; the revision is that of the row then. */
export type BuildSays = RowSays & { state: BuildState; revision: number; message?: string };

/** Activities of a build. Each may run twice. */
export function createActivities(parts: ActivityParts) {
  const { database, keyring } = parts;
  return {
    /** Its turn, if it has come: then the agent is asked. Of one that is running, how the agent's part has ended, if it has. */
    async claimBuild({
      buildId,
      revision,
    }: Ref & { revision: number }): Promise<BuildSays & { ended: CommandEnded | null; tells?: true }> {
      return await effect(database, actorAuthor(), async (claiming) => {
        await lockTurns(claiming, buildId);
        const build = await lockBuild(claiming, buildId);
        // Its turn is the next one's.
        if (build?.finished === true) await callNext(claiming, build.clusterId);
        if (build === undefined || build.finished || build.revision > revision)
          return { ...(await refused(claiming, buildId, revision)), ended: null };
        const { state, organizationId, projectId, clusterId } = build;
        if (state === 'running') {
          const command = await commandView(claiming.kysely, { id: clusterId, organizationId }, buildId);
          // Of one that nobody could be asked for, the row says why.
          if (command === undefined) return { state, revision: build.revision, ended: notAsked(build.message) };
          const ended = isCommandOver(command.state) ? { state: command.state, message: command.message } : null;
          return { state, revision: build.revision, ended, ...(await tells(claiming, buildId)) };
        }
        const message = await refusedTurn(claiming, build);
        if (message !== undefined) {
          if (message !== build.message) {
            await claiming.kysely.updateTable('build').set({ message }).where('id', '=', buildId).execute();
            claiming.change({ organizationId, projectId, kind: 'build', id: buildId });
          }
          return { state, revision: build.revision, message, ended: null };
        }
        const projection = { state: 'running', revision, set: { message: null } } as const;
        await project(claiming.kysely, 'build', buildId, projection, database.raiseAlarm);
        const begun = { started_at: sql<Date>`now()` };
        await claiming.kysely.updateTable('build').set(begun).where('id', '=', buildId).execute();
        const why = await askAgent(claiming, keyring, build);
        if (why !== undefined)
          await claiming.kysely.updateTable('build').set({ message: why }).where('id', '=', buildId).execute();
        claiming.change({ organizationId, projectId, kind: 'build', id: buildId });
        const ended = why === undefined ? null : notAsked(why);
        return { state: 'running', revision, ended, ...(await tells(claiming, buildId)) };
      });
    },

    /** Best effort: what a host does not take changes nothing of the build. */
    async tellHost({
      buildId,
      organizationId,
      state,
    }: Ref & { state: BuildState }): Promise<{ told: boolean; why?: string }> {
      return await tellHost(parts, { buildId, organizationId, state });
    },

    async stopBuild({ buildId, organizationId }: Ref): Promise<void> {
      await effect(database, actorAuthor(), async (stopping) => {
        const build = await lockBuild(stopping, buildId);
        if (build !== undefined) await cancelCommand(stopping, { id: build.clusterId, organizationId }, buildId);
      });
    },

    /** A release of what was built, and its deployment. Where that is refused, the build says why: it has succeeded all the same. */
    async releaseBuild({ buildId }: Ref): Promise<{ deploymentId?: string; error?: string }> {
      const author = actorAuthor();
      try {
        const build = await effect(database, author, (composing) => composeBuilt(composing, keyring, buildId));
        if (build === undefined) return {};
        const deploymentId = await effect(database, author, (deploying) => deployBuilt(deploying, keyring, buildId));
        return deploymentId === undefined ? {} : { deploymentId };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const { message } = error;
        const set = { release_error: message, release_error_at: sql<Date>`now()` };
        await database.kysely.updateTable('build').set(set).where('id', '=', buildId).execute();
        return { error: message };
      }
    },

    /** Writes its end, and calls whose turn it is then. `lastWord`: the actor ends with it, whatever the row's revision. */
    async finishBuild({
      buildId,
      revision,
      state,
      message,
      lastWord = false,
    }: Ref & { revision: number; state: FinalBuildState; message: string; lastWord?: boolean }): Promise<BuildSays> {
      return await effect(database, actorAuthor(), async (finishing) => {
        const changeSetId = await lockChangeSet(finishing, buildId);
        await lockTurns(finishing, buildId);
        const build = await lockBuild(finishing, buildId);
        if (build === undefined) return { state: 'cancelled', revision, over: true };
        const { organizationId, projectId, clusterId } = build;
        const last = lastWord ? Math.max(revision, build.revision) : revision;
        const set = { message: message === '' ? null : message };
        const projection = { state, revision: last, finished: true, last: lastWord, set };
        const projected = await project(finishing.kysely, 'build', buildId, projection, database.raiseAlarm);
        if (projected.result === 'refused') {
          if (build.finished) await callNext(finishing, clusterId);
          const answer = await answerTo(finishing.kysely, 'build', buildId, { state, revision }, projected);
          return says(answer, build.revision);
        }
        finishing.change({ organizationId, projectId, kind: 'build', id: buildId });
        if (changeSetId !== undefined) await tellChangeSet(finishing, build, changeSetId);
        await notifyEnded(finishing, { id: buildId, organizationId }, state);
        await callNext(finishing, clusterId);
        return { state, revision: last };
      });
    },
  };

  /** Whether its commit has a host that may be told of it. */
  async function tells({ kysely }: Effect, buildId: string): Promise<{ tells?: true }> {
    const row = await kysely
      .selectFrom('build')
      .select('git_connection_id as id')
      .where('id', '=', buildId)
      .executeTakeFirst();
    return row === undefined || row.id === null ? {} : { tells: true };
  }

  async function refused({ kysely }: Effect, buildId: string, revision: number): Promise<BuildSays> {
    return says(await rowSays(kysely, 'build', buildId, revision), revision);
  }
}

function notAsked(message: string | null): CommandEnded {
  return { state: 'failed', message };
}

function says(row: RowSays, revision: number): BuildSays {
  const state = finalBuildStates.find((one) => one === row.state) ?? (row.state === 'running' ? 'running' : 'queued');
  return { ...row, state, revision };
}

export type BuildActivities = ReturnType<typeof createActivities>;
