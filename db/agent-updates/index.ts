import { AgentReleaseSchema, AgentUpdateSchema } from './agent-update.ts';

export const agentUpdates = [AgentUpdateSchema, AgentReleaseSchema] as const;
