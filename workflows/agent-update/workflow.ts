/**
 * One attempt to put another release of the agent on a cluster.
 *
 * Identity: `agent-update/<id of the attempt>`.
 *
 * States: requested until the agent tells that it is downloading; switching when it has ended itself for the new version;
 * confirming until somebody says hello. The new version's hello is success, the old one's means that it came back by
 * itself.
 *
 * Ends as: succeeded, returned, failed, cancelled. Each phase has a deadline, so an end always comes. An agent that
 * reconnects after that only corrects the release that its cluster shows.
 *
 * Cancelling: a person may, until the agent switches; the row decides and says so. Cancelling the workflow is an operator's
 * act: the row fails with a message.
 */
import { condition, defineQuery, log, proxyActivities, setHandler } from '@temporalio/workflow';
import type { AgentUpdateActivities } from '../../activities/agent-update.ts';
import { actorFrame, type Frame, type Interruption, sentenceOf } from '../frame.ts';
import { Mailbox } from '../mailbox.ts';
import { showPhase } from '../phase.ts';
import {
  type AgentUpdateInput,
  type AgentUpdateState,
  agentUpdateDescriptor,
  isAgentUpdateOver,
} from './descriptor.ts';
import {
  type AgentUpdateView,
  agentUpdateMessages,
  begin,
  enter,
  giveUp,
  hear,
  inputFrom,
  longest,
  type UpdateMessage,
} from './state.ts';

export const view = defineQuery<AgentUpdateView>('view');

const { beginAgentUpdate, showAgentUpdate } = proxyActivities<AgentUpdateActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function agentUpdate(input: AgentUpdateInput): Promise<AgentUpdateState> {
  const { updateId, clusterId, organizationId } = input;
  let state = begin(input);
  const mailbox = new Mailbox(agentUpdateMessages, input.waiting);
  /** Messages that the row does not show yet: a run that begins anew from the row has to hear them again. */
  let sinceShown: UpdateMessage[] = [];
  setHandler(view, () => ({ phase: state.phase, revision: state.revision, message: state.message }));
  return await actorFrame<AgentUpdateState, AgentUpdateInput>({
    kind: 'agent-update',
    rowId: updateId,
    organizationId,
    input,
    mailbox,
    now: () => inputFrom(input, state),
    live,
    fail,
  });

  async function live(frame: Frame): Promise<AgentUpdateState> {
    let shown = state.phase;
    let deadline = 0;
    const begun = await beginAgentUpdate(input);
    listen();
    if (begun.refused !== undefined) state = enter(state, 'failed', begun.refused);
    while (!isAgentUpdateOver(shown)) {
      listen();
      deadline = deadline > 0 ? deadline : Date.now() + longest(state);
      const heard = await condition(
        () => {
          listen();
          return frame.isDue || state.phase !== shown;
        },
        Math.max(0, deadline - Date.now()),
      );
      if (!heard) state = giveUp(state);
      if (state.phase === shown) await frame.attend();
      else {
        shown = await show(frame);
        deadline = 0;
      }
    }
    return shown;
  }

  function listen(): void {
    for (let message = mailbox.take(); message !== undefined; message = mailbox.take()) {
      state = hear(state, message);
      sinceShown.push(message);
    }
  }

  /** Writes the phase; if the row has ended otherwise, that is what counts. Answers what the row says. */
  async function show(frame?: Frame): Promise<AgentUpdateState> {
    const { phase, revision, message } = state;
    const lastWord = frame === undefined;
    const showing = sinceShown;
    sinceShown = [];
    const row = await showAgentUpdate({
      ...{ updateId, clusterId, organizationId, state: phase, revision, message },
      ...(lastWord ? { lastWord } : {}),
    });
    const { ahead } = row;
    if (ahead !== undefined) await frame?.obey({ ...row, ahead: { ...ahead, waiting: [...showing, ...sinceShown] } });
    showPhase(row.state);
    return row.state;
  }

  async function fail(interruption: Interruption): Promise<AgentUpdateState> {
    const message = sentenceOf(interruption, agentUpdateDescriptor.interrupted);
    log.error('The update of the agent ends as failed', { message });
    state = enter(state, 'failed', message);
    return await show();
  }
}
