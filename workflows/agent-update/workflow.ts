/**
 * One attempt to put another release of the agent on a cluster.
 *
 * Identity: `agent-update/<id of the attempt>`.
 *
 * States: requested until the agent tells that it is downloading; switching when it has ended itself for the new version;
 * confirming until somebody says hello. The new version's hello is success, the old one's means that it came back by
 * itself.
 *
 * What ends it: succeeded, returned, failed, cancelled. Each phase has a deadline, so it always ends. An agent that comes
 * back after that only corrects what its cluster says it runs.
 *
 * Cancelling: a person may, until the agent switches; the row decides and says so. Cancelling the workflow is an operator's
 * act: the row fails with a message.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { AgentUpdateActivities } from '../../activities/agent-update.ts';
import { type AgentUpdateState, isAgentUpdateOver } from '../../domain/clusters/agent-updates.ts';
import { showPhase } from '../phase.ts';
import * as messages from './messages.ts';
import { begin, enter, giveUp, hear, longest, type UpdateMessage } from './state.ts';

const { beginAgentUpdate, showAgentUpdate } = proxyActivities<AgentUpdateActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function agentUpdate(input: messages.AgentUpdateInput): Promise<AgentUpdateState> {
  const { updateId, clusterId, organizationId } = input;
  let state = begin(input);
  const take = (message: UpdateMessage): void => {
    state = hear(state, message);
  };

  setHandler(messages.view, () => ({ phase: state.phase, revision: state.revision, message: state.message }));
  setHandler(messages.hello, (told) => take({ message: 'hello', told }));
  setHandler(messages.progress, (told) => take({ message: 'progress', told }));
  setHandler(messages.commandFinished, (told) => take({ message: 'commandFinished', told }));
  setHandler(messages.cancelled, (told) => take({ message: 'cancelled', told }));

  try {
    const begun = await beginAgentUpdate(input);
    if (begun.refused !== undefined) state = enter(state, 'failed', begun.refused);
    let shown: AgentUpdateState = 'requested';
    while (!isAgentUpdateOver(shown)) {
      const heard = await condition(() => state.phase !== shown, longest(state));
      if (!heard) state = giveUp(state);
      shown = await show();
    }
    await condition(allHandlersFinished);
    return shown;
  } catch (error) {
    await CancellationScope.nonCancellable(async () => {
      const message = isCancellation(error) ? 'It was cancelled by an operator.' : `It failed: ${reason(error)}`;
      log.error('The update of the agent ends as failed', { message });
      state = enter(state, 'failed', message);
      await show();
      await condition(allHandlersFinished);
    });
    throw isCancellation(error) ? error : ApplicationFailure.fromError(error, { nonRetryable: true });
  }

  /** Writes the phase; if the row has ended otherwise, that is what counts. Answers what the row says. */
  async function show(): Promise<AgentUpdateState> {
    const { phase, revision, message } = state;
    const row = await showAgentUpdate({ updateId, clusterId, organizationId, state: phase, revision, message });
    showPhase(row.state);
    return row.state;
  }
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
