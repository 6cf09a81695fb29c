/**
 * A cluster, for as long as it exists.
 *
 * Identity: `cluster/<id of the cluster>`.
 *
 * States: awaiting-agent until an agent has enrolled and said hello; then ready, degraded, updating or lost, as its facts
 * amount to (domain/clusters/clusters.ts); deleting once that was decided, and deleted.
 *
 * It hears transitions only and asks for nothing: heartbeats and reports end in the database. Each thing it hears becomes
 * one projection and at most one event. Its history stays short: it continues as new, and the next run begins by
 * archiving the one before it.
 *
 * What ends it: its deletion, which a person has decided and the row says, or the purge of its organization.
 *
 * Cancelling it is an operator's act, not offered to users: the row fails with a message.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  ContinueAsNew,
  condition,
  continueAsNew,
  isCancellation,
  log,
  patched,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ClusterActivities, ShownCluster } from '../../activities/cluster.ts';
import type { HistoryActivities } from '../../activities/history.ts';
import { showPhase } from '../phase.ts';
import * as messages from './messages.ts';
import { begin, type ClusterMessage, hear, stateOf, viewOf } from './state.ts';

const patience = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const;

const { showCluster, deleteCluster, failCluster } = proxyActivities<ClusterActivities>({
  startToCloseTimeout: '30s',
  retry: patience,
});

const { archiveRun } = proxyActivities<HistoryActivities>({ startToCloseTimeout: '5m', retry: patience });

/** With room for what comes while it goes on: no run is to have more than 2,000. */
const defaultEventsPerRun = 1_500;
/** So many times as long a run may become while the one before it cannot be archived. */
const patienceWithArchive = 10;

type Details = NonNullable<ShownCluster['event']>['payload'];

export async function cluster(input: messages.ClusterInput): Promise<'deleted' | 'failed'> {
  const { clusterId, organizationId, eventsPerRun = defaultEventsPerRun } = input;
  let known = begin(input);
  const waiting: ClusterMessage[] = [...(input.waiting ?? [])];
  const runBefore = workflowInfo().continuedFromExecutionRunId;
  const unarchived = [...(input.unarchived ?? []), ...(runBefore === undefined ? [] : [runBefore])];
  let shown = stateOf(known);

  setHandler(messages.view, () => viewOf(known));
  setHandler(messages.enrolled, (told) => void waiting.push({ message: 'enrolled', told }));
  setHandler(messages.connected, (told) => void waiting.push({ message: 'connected', told }));
  setHandler(messages.lost, (told) => void waiting.push({ message: 'lost', told }));
  setHandler(messages.back, (told) => void waiting.push({ message: 'back', told }));
  setHandler(messages.revoked, (told) => void waiting.push({ message: 'revoked', told }));
  setHandler(messages.trouble, (told) => void waiting.push({ message: 'trouble', told }));
  setHandler(messages.updating, (told) => void waiting.push({ message: 'updating', told }));
  setHandler(messages.deleting, (told) => void waiting.push({ message: 'deleting', told }));

  // Beside all the rest: a history that cannot be fetched for a while must not keep the cluster from living.
  const archiving = archiveRunsBefore();
  archiving.catch(() => undefined);
  try {
    while (!known.deleting) {
      await condition(() => waiting.length > 0 || runIsFull());
      // Where messages never stop coming, there is no moment without any: a new run takes along what waits.
      if (runIsFull() && (waiting.length === 0 || patched('takes-along-what-waits'))) await goOnAnew();
      const next = waiting.shift();
      if (next !== undefined) await take(next);
    }
    const end = await deleteCluster({ clusterId, organizationId, revision: known.revision + 1 });
    await archiving;
    showPhase(end);
    await condition(allHandlersFinished);
    return end;
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    await CancellationScope.nonCancellable(async () => {
      const message = isCancellation(error) ? 'Its actor was cancelled by an operator.' : `It failed: ${reason(error)}`;
      log.error('The cluster ends as failed', { message });
      await failCluster({ clusterId, organizationId, revision: known.revision + 1, message });
      showPhase('failed');
      await condition(allHandlersFinished);
    });
    throw isCancellation(error) ? error : ApplicationFailure.fromError(error, { nonRetryable: true });
  }

  /** One message, one projection, at most one event. */
  async function take(next: ClusterMessage): Promise<void> {
    const before = known;
    const heard = hear(known, next);
    known = heard.known;
    if (known === before || known.deleting) return;
    const state = stateOf(known);
    const { at, ...details } = next.told.body as { at?: string } & Details;
    await showCluster({
      clusterId,
      organizationId,
      state,
      revision: known.revision,
      message: state === 'degraded' ? known.trouble : null,
      ...(heard.event === undefined
        ? {}
        : {
            event: { kind: heard.event, occasion: next.told.id, payload: details, ...(at === undefined ? {} : { at }) },
          }),
    });
    if (state !== shown) showPhase(state);
    shown = state;
  }

  /** Whether the next message is better heard in a new run. While the run before is not archived, that has time. */
  function runIsFull(): boolean {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (unarchived.length > 0) return historyLength >= patienceWithArchive * eventsPerRun;
    return historyLength >= eventsPerRun || continueAsNewSuggested;
  }

  async function goOnAnew(): Promise<void> {
    await condition(allHandlersFinished);
    await continueAsNew<typeof cluster>({ ...input, known, waiting, unarchived });
  }

  async function archiveRunsBefore(): Promise<void> {
    for (let runId = unarchived[0]; runId !== undefined; runId = unarchived[0]) {
      await archiveRun({ organizationId, runId });
      unarchived.shift();
    }
  }
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
