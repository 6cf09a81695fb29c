import type { AgentCommand } from './options.ts';

/** Subcommands of `ballast agent`; each is loaded only when called. */
export const agentCommands: Readonly<Record<string, () => Promise<AgentCommand>>> = {
  run: async () => (await import('./run.ts')).run,
  join: async () => (await import('../join/join.ts')).join,
  status: async () => (await import('../home/status.ts')).tellStatus,
  trust: async () => (await import('../home/trust.ts')).trustKey,
  leave: async () => (await import('./leave.ts')).leave,
};
