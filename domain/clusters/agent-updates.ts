/**
 * The states of an agent's update: requested, then sent to the agent; downloading and switching as the agent tells;
 * confirming until the new version says hello. succeeded, returned (the old version came back by itself), failed and
 * cancelled are final.
 */
export const agentUpdateStates = [
  'requested',
  'downloading',
  'switching',
  'confirming',
  'succeeded',
  'returned',
  'failed',
  'cancelled',
] as const;
export type AgentUpdateState = (typeof agentUpdateStates)[number];

export const agentUpdateTransitions: Readonly<Record<AgentUpdateState, readonly AgentUpdateState[]>> = {
  requested: ['downloading', 'switching', 'confirming', 'succeeded', 'returned', 'failed', 'cancelled'],
  downloading: ['switching', 'confirming', 'succeeded', 'returned', 'failed', 'cancelled'],
  switching: ['confirming', 'succeeded', 'returned', 'failed'],
  confirming: ['succeeded', 'returned', 'failed'],
  succeeded: [],
  returned: [],
  failed: [],
  cancelled: [],
};

/** So long has the new version to say hello; then the agent goes back to the old one by itself. */
export const confirmSeconds = 120;

const minute = 60_000;

/** How long each phase may last, in milliseconds: nothing is waited for without an end. */
export const agentUpdatePatience: Readonly<Record<AgentUpdateState, number>> = {
  requested: 15 * minute,
  downloading: 30 * minute,
  switching: (confirmSeconds + 60) * 1_000,
  confirming: (confirmSeconds + 60) * 1_000,
  succeeded: 0,
  returned: 0,
  failed: 0,
  cancelled: 0,
};

export function isAgentUpdateOver(state: AgentUpdateState): boolean {
  return agentUpdateTransitions[state].length === 0;
}
