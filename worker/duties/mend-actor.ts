import { v7 as uuid } from 'uuid';
import type { Author } from '../../db/engine/effect.ts';
import { actorStart } from '../../db/workflows/actor-rows.ts';
import { actorId, lookAgain } from '../../domain/actors/actors.ts';
import type { Temporal } from '../../temporal/connection/connect.ts';
import { hasStatus } from '../../temporal/connection/grpc-status.ts';
import { setBlocker } from '../../temporal/delivery/blocker.ts';
import { startActor } from '../../temporal/delivery/start-actor.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import { actorFault } from './actor-fault.ts';
import { type ActorStatus, actorStatus } from './actor-status.ts';
import { hasPoisonedEntry, type OpenRow, startWaits } from './open-rows.ts';
import type { Reconciling } from './reconciling.ts';

const author: Author = { kind: 'machine', id: 'reconciler', name: 'reconciler' };

const codeFails = 'The workflow code keeps failing; see the log of the worker.';
const nobodyContinues =
  'No worker continues the workflow in time: the workers are down or overloaded, or its code fails; see the log of the worker.';

/** Compares one open row with its actor and mends the difference. Answers what Temporal knew of the actor. */
export async function mendActor(reconciling: Reconciling, row: OpenRow): Promise<ActorStatus> {
  const { database, temporal, log } = reconciling;
  const status = await actorStatus(temporal, actorId(row.kind, row.id));
  if (status.is !== 'running') {
    await startAgain(reconciling, row, status);
    return status;
  }
  const actor = actorId(row.kind, row.id);
  const isTold = row.blocker === codeFails || row.blocker === nobodyContinues;
  // The history is read once: what it says of the first task that ended so does not change before one ends well.
  if (status.stuck === undefined && status.failing && isTold) return status;
  const fault = status.stuck === undefined && status.failing ? await actorFault(temporal, actor) : undefined;
  const stuck = status.stuck ?? (fault && (fault.is === 'failed' ? codeFails : nobodyContinues)) ?? null;
  // A blocker set by the outbox is cleared by the outbox.
  if (stuck === row.blocker || (stuck === null && (await hasPoisonedEntry(database, row)))) return status;
  if (fault?.is === 'failed')
    log.error({ actor, fault: fault.fault }, 'The code of a workflow fails; its task is retried');
  if (fault?.is === 'late') log.warn({ actor }, 'No worker continues a workflow in time; its task is retried');
  await setBlocker(database.kysely, actor, stuck);
  return status;
}

/** So often may runs of an actor complete while its row stays open: then its code does so, and no restored database. */
const mostCompleted = 5;

/**
 * An actor that lives for ever continues from its row. One that lives once does so if Temporal has lost it, or knows that it
 * completed: an actor writes its end before it completes, so that the row is older, of a database that was restored, and what it
 * decided then stands in the world, which the new run finds there. One that ended in another way is started to finish its row.
 * Through the client and not through the outbox: there it would wait behind messages that cannot be told to a lost actor.
 */
async function startAgain(
  { database, temporal, log, metrics }: Reconciling,
  open: OpenRow,
  status: Exclude<ActorStatus, { is: 'running' }>,
): Promise<void> {
  const { kind, id: rowId } = open;
  const actor = actorId(kind, rowId);
  // The relay is at it.
  if (status.is === 'unknown' && (await startWaits(database, open))) return;
  // Read after the describe: a final row is one whose actor has just ended in order.
  const row = await actorStart(database.kysely, kind, rowId);
  if (row === undefined || row.finished) return;
  const { organizationId, state } = row;
  const completed =
    status.is === 'closed' && status.completed ? (await completions(temporal, actor, status.runId)) + 1 : 0;
  const goesOn = completed > 0 && completed <= mostCompleted;
  const fails = status.is === 'closed' && !goesOn && descriptors[kind].lives === 'once';
  const input = {
    ...row.input,
    ...(status.is === 'closed' ? { unarchived: [status.runId] } : {}),
    ...(fails ? { interrupted: status.how } : {}),
  };
  const start = { kind, rowId, organizationId, state, input, author: { ...author }, again: true, completed };
  const how = await startActor(temporal, start);
  (fails ? metrics.ended : metrics.restarted).inc();
  if (status.is === 'unknown') {
    log.warn({ actor, how }, 'An actor was lost; restarting it');
    return;
  }
  if (goesOn) {
    log.warn({ actor, how, state }, 'An actor completed and its row is older: the database was restored; it goes on');
    return;
  }
  database.raiseAlarm({ actorId: actor, message: `${actor} ${status.how} while its row was ${state}.` });
  log.error({ actor, how, state }, `An actor ${status.how} without ending its row; restarting it`);
}

async function completions(temporal: Temporal, actor: string, runId: string): Promise<number> {
  const { memo } = await temporal.client.workflow.getHandle(actor, runId).describe();
  return typeof memo?.completed === 'number' ? memo.completed : 0;
}

/** Asks an actor that runs to look at its row. One that is at work, or has just ended, is left alone. */
export async function askToLook(
  { temporal, log }: Reconciling,
  actor: string,
  why: string,
): Promise<'asked' | 'busy' | 'over'> {
  const status = await actorStatus(temporal, actor);
  if (status.is !== 'running') return 'over';
  if (status.busy) return 'busy';
  try {
    await temporal.client.workflow.getHandle(actor).signal(lookAgain, { id: uuid(), body: {} });
  } catch (error) {
    if (hasStatus(error, 'notFound') || (error instanceof Error && error.name === 'WorkflowNotFoundError'))
      return 'over';
    throw error;
  }
  log.warn({ actor, why }, 'Asked an actor to read its row');
  return 'asked';
}
