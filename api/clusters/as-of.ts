import { z } from 'zod';
import type { ClusterView } from '../../db/clusters/clusters.ts';

/** How current is all that an agent told. */
export const asOfSchema = z
  .object({
    at: z.iso.datetime().describe('The last heartbeat of the agent: until then this was so.'),
    inContact: z.boolean().describe('Whether the agent is in contact; otherwise this is the last known state.'),
  })
  .describe('How current this is, since the agent told it; absent before any agent was heard of.')
  .meta({ id: 'AsOf' });

/** To be spread into an answer that holds something of what the cluster's agent told. */
export function asOf({ agent }: Pick<ClusterView, 'agent'>): { asOf?: z.output<typeof asOfSchema> } {
  if (agent.lastHeartbeatAt === null) return {};
  return { asOf: { at: agent.lastHeartbeatAt.toISOString(), inContact: agent.contact === 'connected' } };
}
