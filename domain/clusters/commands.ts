/**
 * The states of a command to an agent: queued until the agent takes it, delivered while it holds its lease. The rest is
 * final: done (it ran to its end, whatever its exit code), failed (it could not be done), unknown (the agent was
 * interrupted and cannot say), lost (who has its journal never came back), cancelled, expired (nobody took it in time).
 */
export const commandStates = [
  'queued',
  'delivered',
  'done',
  'failed',
  'unknown',
  'lost',
  'cancelled',
  'expired',
] as const;
export type CommandState = (typeof commandStates)[number];

/** How a command ended, with the words of its agent. */
export interface CommandEnded {
  state: CommandState;
  message: string | null;
}

export function isCommandOver(state: CommandState): boolean {
  return state !== 'queued' && state !== 'delivered';
}

/** From this minor of the protocol on an agent knows the command `delete-volumes`; it stays queued until the agent is updated. */
export const deleteVolumesMinor = 4;
