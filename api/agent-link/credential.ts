import { changeCredential } from '../../db/agents/cluster-agents.ts';
import { credentialRequest } from '../../protocol/agent.ts';
import { incarnationRoute } from './agent-route.ts';

/** The agent has made itself another credential. The one it asks with holds until the new one is used. */
export const credential = incarnationRoute({
  method: 'POST',
  url: 'credential',
  body: credentialRequest,
  async handle({ server, body }, agent): Promise<void> {
    await changeCredential(server.database.kysely, agent.clusterId, Buffer.from(body.credentialHash, 'hex'));
  },
});
