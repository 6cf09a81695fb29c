/**
 * A cluster, for as long as it exists.
 *
 * Identity: `cluster/<id of the cluster>`.
 *
 * States: awaiting-agent until an agent has enrolled and said hello; then ready, degraded, updating or lost, as its facts
 * amount to (domain/clusters/clusters.ts); deleting once that was decided, and deleted.
 *
 * Messages are transitions only: heartbeats and reports end in the database. Each transition becomes one projection and
 * at most one event. The history stays short: the actor continues as new, and the next run first archives the last one.
 *
 * Ends by: the deletion that a person decided and the row says, or the purge of the organization.
 *
 * Cancelling it does nothing. Terminated or forgotten, it is started again from its row.
 */
import { condition, defineQuery, proxyActivities, setHandler } from '@temporalio/workflow';
import type { ClusterActivities, ShownCluster } from '../../activities/cluster.ts';
import type { RowSays } from '../../domain/actors/actor-descriptor.ts';
import type { ClusterState } from '../../domain/clusters/clusters.ts';
import { actorFrame, type Frame } from '../frame.ts';
import { Mailbox } from '../mailbox.ts';
import { showPhase } from '../phase.ts';
import type { ClusterInput } from './descriptor.ts';
import {
  begin,
  type ClusterMessage,
  type ClusterView,
  clusterMessages,
  hear,
  inputFrom,
  stateOf,
  viewOf,
} from './state.ts';

export const view = defineQuery<ClusterView>('view');

const { showCluster, deleteCluster } = proxyActivities<ClusterActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

type Details = NonNullable<ShownCluster['event']>['payload'];

export async function cluster(input: ClusterInput): Promise<ClusterState> {
  const { clusterId, organizationId } = input;
  let known = begin(input);
  let shown = input.state ?? stateOf(known);
  const mailbox = new Mailbox(clusterMessages, input.waiting);
  setHandler(view, () => viewOf(known));
  return await actorFrame<ClusterState, ClusterInput>({
    kind: 'cluster',
    rowId: clusterId,
    organizationId,
    input,
    mailbox,
    now: () => inputFrom(input, known, shown),
    live,
  });

  async function live(frame: Frame): Promise<ClusterState> {
    // Started again from its row, it may know of facts that the state does not show.
    if (!known.deleting && stateOf(known) !== shown) {
      known = { ...known, revision: known.revision + 1 };
      await show(frame);
    }
    while (!known.deleting) {
      await condition(() => !mailbox.isEmpty || frame.isDue);
      await frame.attend();
      const next = mailbox.take();
      if (next !== undefined) await take(next, frame);
    }
    const end = await deleteCluster({ clusterId, organizationId, revision: known.revision + 1 });
    await frame.archived();
    showPhase(end);
    return end;
  }

  /** One message, one projection, at most one event. */
  async function take(next: ClusterMessage, frame: Frame): Promise<void> {
    const before = known;
    const heard = hear(known, next);
    known = heard.known;
    if (known === before || known.deleting) return;
    if (heard.event === undefined) return await show(frame);
    const { at, ...details } = next.told.body as { at?: string } & Details;
    const event = { kind: heard.event, occasion: next.told.id, payload: details };
    await show(frame, { ...event, ...(at === undefined ? {} : { at }) });
  }

  async function show(frame: Frame, event?: ShownCluster['event']): Promise<void> {
    const state = stateOf(known);
    const message = state === 'degraded' ? known.trouble : null;
    const { revision } = known;
    // In runs of 0.1.0 it answered nothing.
    const row: RowSays | undefined = await showCluster({
      ...{ clusterId, organizationId, state, revision, message },
      ...(event === undefined ? {} : { event }),
    });
    if (row !== undefined) await frame.obey(row);
    if (state !== shown) showPhase(state);
    shown = state;
  }
}
