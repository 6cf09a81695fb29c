import { sql } from 'kysely';
import { expireApproval } from '../db/approvals/decide.ts';
import { unsetOf } from '../db/builds/build-variables.ts';
import { admit, lockAdmission } from '../db/deployments/admission.ts';
import { tellDeploymentEvents } from '../db/deployments/deployment-events.ts';
import { forgetReleaseCommand, wantsReleaseCommand } from '../db/deployments/release-command/wanted.ts';
import { CannotRoll } from '../db/deployments/rolling.ts';
import { rollBack, rollForward } from '../db/deployments/rollout.ts';
import { countDurations } from '../db/deployments/statistics.ts';
import { endSuspensionBy, restSuspended } from '../db/deployments/suspension.ts';
import { type RolloutReport, toldRollout } from '../db/deployments/told-rollout.ts';
import { withdrawnAt } from '../db/deployments/withdraw.ts';
import { type Effect, effect } from '../db/engine/effect.ts';
import { answerSentences } from '../domain/deployments/answer-faults.ts';
import { interruptedSentence } from '../domain/deployments/release-command.ts';
import {
  type DeploymentBlocker,
  type DeploymentState,
  endedStages,
  isDeploymentFinal,
  type StageTime,
  stagesAfter,
  stagesAtClaim,
} from '../domain/deployments/states.ts';
import { unsetSentence } from '../domain/deployments/unset-variables.ts';
import { Problem } from '../domain/problems.ts';
import { actorAuthor } from './caller.ts';
import type { ActivityParts } from './index.ts';

interface Ref {
  deploymentId: string;
  projectId: string;
  organizationId: string;
}

/** The row, as its actor adopts it. */
export interface DeploymentSays {
  state: DeploymentState;
  revision: number;
  waitsFor: string;
  message: string;
}

type Ended = 'live' | 'failed' | 'cancelled';

/** Activities of a deployment. Each may run twice, and answers what the row says. */
export function createActivities({
  database,
  keyring,
  ingressDomain,
}: Pick<ActivityParts, 'database' | 'keyring' | 'ingressDomain'>) {
  const parts = { keyring, ingressDomain };
  const locked = <T>(ref: Ref, work: (effect: Effect, row: Row) => Promise<T>) =>
    effect(database, actorAuthor(), async (changing) => {
      const row = await lockRow(changing, ref);
      return row === undefined ? gone : await work(changing, row);
    });

  return {
    /** Asks the arbiter; a deployment whose turn it is becomes the cluster's desired state in the same transaction. */
    async claimDeployment(ref: Ref): Promise<DeploymentSays> {
      return await effect(database, actorAuthor(), async (claiming) => {
        const decision = await admit(claiming, ref, { event: 'claim', id: ref.deploymentId });
        const row = await lockRow(claiming, ref);
        if (row === undefined) return gone;
        const turn = !('refused' in decision) && decision.claimed === true;
        if (!turn || row.workload_revision !== null || isDeploymentFinal(row.state)) return says(row);
        return await start(claiming, ref, row);
      });
    },

    /** Writes the stage that the agent's rollout has reached. */
    async showDeployment({
      state,
      told,
      ...ref
    }: Ref & { state: DeploymentState; told: RolloutReport }): Promise<DeploymentSays> {
      return await locked(ref, async (showing, row) => {
        if (isDeploymentFinal(row.state) || row.state === state) return says(row);
        const stages = stagesAfter(row.stages, { ...told, now: row.now });
        await tellStages(showing, ref, row.stages, stages);
        return await write(showing, ref, { state, stages: JSON.stringify(stages), waits_for: null, message: null });
      });
    },

    /** Ends a rollout. Unless its release serves, the cluster gets the live release back. */
    async finishDeployment(ended: Ref & EndedRollout & { lastWord?: boolean }): Promise<DeploymentSays> {
      const { deploymentId, projectId, organizationId } = ended;
      const ref = { deploymentId, projectId, organizationId };
      return await effect(database, actorAuthor(), (finishing) => finish(finishing, ref, ended));
    },

    /** The agent's last report, and what is waited for while it is silent. */
    async lookAtRollout(ref: Ref): Promise<DeploymentSays & { told?: RolloutReport & { id: string; digest: string } }> {
      return await locked(ref, async (looking, row) => {
        if (isDeploymentFinal(row.state)) return says(row);
        const { told, waitsFor, message } = await toldRollout(looking.kysely, ref);
        const same = waitsFor === row.waits_for && message === row.message;
        const written = same ? says(row) : await write(looking, ref, { waits_for: waitsFor, message });
        return { ...written, ...(told === undefined ? {} : { told }) };
      });
    },

    /** Nobody has decided in time on the approval of this deployment alone. */
    async expireDeployment(ref: Ref): Promise<DeploymentSays> {
      return await effect(database, actorAuthor(), async (expiring) => {
        await expireApproval(expiring, ref, { column: 'deployment_id', id: ref.deploymentId });
        const row = await lockRow(expiring, ref);
        return row === undefined ? gone : says(row);
      });
    },
  };

  async function start(claiming: Effect, ref: Ref, row: Row): Promise<DeploymentSays> {
    try {
      const { clusterId, revision, runsAs } = await rollForward(claiming, parts, ref);
      const decidedAt = row.decided_at?.toISOString();
      const stages = stagesAtClaim({ createdAt: row.created_at.toISOString(), decidedAt, now: row.now });
      await tellStages(claiming, ref, [], stages);
      return await write(claiming, ref, {
        cluster_id: clusterId,
        workload_revision: revision,
        runs_as: runsAs,
        started_at: sql`now()`,
        stages: JSON.stringify(stages),
      });
    } catch (error) {
      if (!(error instanceof CannotRoll) && !(error instanceof Problem)) throw error;
      const blocker = error instanceof CannotRoll ? error.blocker : 'configuration';
      return await finish(claiming, ref, { state: 'failed', message: error.message, blocker });
    }
  }

  async function finish(finishing: Effect, ref: Ref, ended: EndedRollout): Promise<DeploymentSays> {
    const { state, told } = ended;
    await lockAdmission(finishing, ref);
    const before = await lockRow(finishing, ref);
    if (before === undefined) return gone;
    if (isDeploymentFinal(before.state)) return says(before);
    const rolled = told === undefined ? before.stages : stagesAfter(before.stages, { ...told, now: before.now });
    const interrupted = await interruption(finishing, ref, before, ended);
    // The agent may have been further than it told.
    const reached = interrupted === undefined ? rolled : stagesAfter(rolled, { ...releasing, now: before.now });
    const stages = endedStages(reached, undefined, before.now);
    // The likely cause is the first thing that a person reads.
    const unset = exitedAtStart(ended) ? await unsetOf(finishing.kysely, ref) : undefined;
    const seen = ended.message ?? interrupted ?? told?.message;
    const message = unset === undefined ? seen : [unsetSentence(unset), seen ?? ''].join(' ').trim();
    await tellStages(finishing, ref, before.stages, stages);
    const withdrawn = await withdrawnAt(finishing, ref);
    if (state !== 'live' && !withdrawn) await giveBack(finishing, ref, before, ended, message ?? '');
    const warning = state === 'live' ? answerSentences(told?.warnings ?? []).join(' ') : '';
    const decision = await admit(finishing, ref, {
      ...{ event: 'finish', id: ref.deploymentId, state },
      ...(message === undefined ? {} : { message }),
      ...(state === 'failed' ? { waitsFor: ended.blocker ?? failedBy(ended) } : {}),
      ...(warning === '' ? {} : { warning }),
    });
    if ('refused' in decision) throw new Error(`${ref.deploymentId} cannot end as ${state}: ${decision.refused}.`);
    if (state === 'live') {
      await countDurations(finishing, ref, stages);
      await forgetReleaseCommand(finishing, ref);
      await restSuspended(finishing, ref);
    }
    return await write(finishing, ref, {
      stages: JSON.stringify(stages),
      failure: told?.failure === undefined ? null : JSON.stringify({ ...told.failure, unset }),
      ...(state === 'live' && told?.warnings !== undefined ? { warnings: JSON.stringify(told.warnings) } : {}),
    });
  }

  /** The cluster gets the live release back, and people are told why. */
  async function giveBack(giving: Effect, ref: Ref, before: Row, ended: EndedRollout, message: string): Promise<void> {
    if (ended.state === 'failed' && ended.told?.failure !== undefined && failedBy(ended) === 'health') {
      const what = { kind: 'instance-failed', occasion: 'instance-failed', blocker: 'health', message } as const;
      await tellDeploymentEvents(giving, ref, [what]);
    }
    if (before.workload_revision === null) return;
    if (ended.state === 'failed') await endSuspensionBy(giving, ref);
    await rollBack(giving, parts, ref);
    await tellDeploymentEvents(giving, ref, [{ kind: 'returned', occasion: 'returned' }]);
  }
}

const releasing = { phase: 'releasing', at: {} } as const;

/** A release command that a cancellation ended may have done part of its work. */
async function interruption(effect: Effect, ref: Ref, { state }: Row, ended: EndedRollout) {
  if (ended.state !== 'cancelled' || (state !== 'preparing' && state !== 'releasing')) return undefined;
  if (!(await wantsReleaseCommand(effect, ref))) return undefined;
  return interruptedSentence(state === 'releasing' || ended.told?.phase === 'releasing');
}

function failedBy({ told }: EndedRollout): DeploymentBlocker {
  return told?.failure?.releaseCommand === undefined ? 'health' : 'release-command';
}

/** The program ended by itself: what it was not given may be the reason. */
function exitedAtStart({ state, told }: EndedRollout): boolean {
  const exit = told?.failure?.exit as { code?: unknown } | undefined;
  return state === 'failed' && typeof exit?.code === 'number';
}

export type DeploymentActivities = ReturnType<typeof createActivities>;

interface EndedRollout {
  state: Ended;
  told?: RolloutReport | undefined;
  message?: string;
  blocker?: DeploymentBlocker;
}

interface Row extends Omit<DeploymentSays, 'waitsFor' | 'message'> {
  waits_for: DeploymentBlocker | null;
  message: string | null;
  workload_revision: number | null;
  stages: StageTime[];
  created_at: Date;
  decided_at: Date | null;
  now: string;
}

const gone: DeploymentSays = { state: 'cancelled', revision: 0, waitsFor: '', message: '' };

function says({ state, revision, waits_for: waitsFor, message }: Row): DeploymentSays {
  return { state, revision, waitsFor: waitsFor ?? '', message: message ?? '' };
}

/** Locked, so that an activity that runs twice at once says everything once. */
async function lockRow({ kysely }: Effect, { deploymentId, organizationId }: Ref): Promise<Row | undefined> {
  const { rows } = await sql<Omit<Row, 'now'> & { now: Date }>`
    select state, revision, waits_for, message, workload_revision, stages, created_at, clock_timestamp() as now,
      (select decided_at from approval
        where approval.organization_id = deployment.organization_id and approval.id = deployment.approval_id) as decided_at
    from deployment where id = ${deploymentId} and organization_id = ${organizationId}
    for update of deployment
  `.execute(kysely);
  const [row] = rows;
  return row === undefined ? undefined : { ...row, now: row.now.toISOString() };
}

async function write(
  { kysely, change }: Effect,
  { deploymentId, organizationId }: Ref,
  set: Readonly<Record<string, unknown>>,
): Promise<DeploymentSays> {
  const columns = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const { rows } = await sql<Row>`
    update deployment set ${sql.join([...columns, sql`revision = revision + 1`])}
    where id = ${deploymentId} and organization_id = ${organizationId}
    returning state, revision, waits_for, message
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) return gone;
  change({ organizationId, kind: 'deployment', id: deploymentId });
  return says(row);
}

/** One event for the end of each stage, and for the beginning of the next. */
async function tellStages(
  effect: Effect,
  ref: Ref,
  before: readonly StageTime[],
  after: readonly StageTime[],
): Promise<void> {
  const known = new Map(before.map((stage) => [stage.stage, stage]));
  await tellDeploymentEvents(
    effect,
    ref,
    after.flatMap(({ stage, endedAt }) => [
      ...(known.has(stage) ? [] : [{ kind: 'stage-started' as const, occasion: `started ${stage}`, stage }]),
      ...(endedAt === undefined || known.get(stage)?.endedAt !== undefined
        ? []
        : [{ kind: 'stage-ended' as const, occasion: `ended ${stage}`, stage }]),
    ]),
  );
}
