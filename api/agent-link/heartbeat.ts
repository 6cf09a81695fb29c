import type { z } from 'zod';
import type { Heartbeats } from '../../db/agents/heartbeats.ts';
import { type heartbeatAnswer, heartbeatRequest } from '../../protocol/agent.ts';
import { incarnationRoute } from './agent-route.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    readonly heartbeats: Heartbeats;
  }
}

/** Answered at once, written together with those of others: a crash loses half a second of them. */
export const heartbeat = incarnationRoute({
  method: 'POST',
  url: 'heartbeat',
  body: heartbeatRequest,
  bodyLimit: 1024 * 1024,
  async handle({ server, body }, agent, incarnation): Promise<z.infer<typeof heartbeatAnswer>> {
    const facts = body.facts === undefined ? undefined : JSON.parse(JSON.stringify(body.facts));
    server.heartbeats.add(agent.clusterId, { incarnation, running: body.running, facts });
    return { rotate: agent.rotate };
  },
});
