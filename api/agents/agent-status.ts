import { z } from 'zod';
import type { AgentUpdateView } from '../../db/agent-updates/agent-updates.ts';
import { agentUpdateStates } from '../../workflows/agent-update/descriptor.ts';
import { asOfSchema } from '../clusters/as-of.ts';

export const agentUpdateSchema = z
  .object({
    id: z.guid(),
    kind: z.enum(['update', 'rollback']),
    status: z.enum(agentUpdateStates),
    fromImage: z.string(),
    toImage: z.string(),
    message: z.string().describe('The reason for its state; may be empty.'),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'AgentUpdateAttempt' });

export const agentStatusSchema = z
  .object({
    currentImage: z.string().describe('The release that the agent runs; empty before it has reported.'),
    currentVersion: z.string(),
    availableImage: z.string().describe('The release that this control plane offers; empty while it is being built.'),
    updateAvailable: z.boolean(),
    asOf: asOfSchema.optional(),
    history: z.array(agentUpdateSchema).describe('The last attempts, newest first.'),
    inProgress: z.object({ id: z.guid(), startedAt: z.iso.datetime(), toImage: z.string() }).optional(),
  })
  .meta({ id: 'AgentStatus' });

/** A release of the agent, as in `ballast-agent:1.2.3-0123456789ab`. */
export const agentImage = z.string().min(1).max(200);

export function presentUpdate(update: AgentUpdateView): z.output<typeof agentUpdateSchema> {
  const { id, kind, state, fromImage, toImage, message, createdAt, finishedAt } = update;
  return {
    id,
    kind,
    status: state,
    fromImage,
    toImage,
    message: message ?? '',
    startedAt: createdAt.toISOString(),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  };
}
