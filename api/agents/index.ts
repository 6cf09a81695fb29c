import { cancelAgentUpdate } from './cancel-agent-update.ts';
import { getAgent } from './get-agent.ts';
import { revokeAgent } from './revoke-agent.ts';
import { rollbackAgent } from './rollback-agent.ts';
import { updateAgent } from './update-agent.ts';

export const agents = { agent: getAgent, updateAgent, cancelAgentUpdate, rollbackAgent, revokeAgent };
