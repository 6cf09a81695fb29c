import { z } from 'zod';
import { deliveredAgainSeconds, takeCommands } from '../../db/commands/cluster-commands.ts';
import { type DesiredState, desiredSince } from '../../db/workloads/cluster-slices.ts';
import { understoodBy, withoutUnknown } from '../../protocol/earlier.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { type AdmittedAgent, admitAgent, currentIncarnation } from './admit-agent.ts';
import { incarnationRoute } from './agent-route.ts';

const longestWait = 30;

/** `work` of protocol/agent.ts; what was stored was checked, so it is not checked again. */
interface WorkToDo {
  desired?: DesiredState;
  commands: { id: string; attempt: number; body: object }[];
  cancelled: string[];
  logs?: { revision: string; readers: object[] };
}

interface Found extends WorkToDo {
  /** When to look again, if nobody rings. */
  lookAgainMillis: number;
}

/** Answers when there is work: a new desired state, commands, cancellations. */
export const work = incarnationRoute({
  method: 'GET',
  url: 'work',
  query: z.object({
    since: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
    wait: z.coerce.number().min(0).default(0),
    /** Missing from agents of before protocol 1.1, which send no logs this way. */
    logs: z.string().max(64).optional(),
  }),
  waits: true,
  async handle({ server, query, request, reply, from }, admitted): Promise<WorkToDo> {
    const leaving = new AbortController();
    reply.raw.once('close', () => leaving.abort());
    const until = performance.now() + Math.min(query.wait, longestWait) * 1_000;
    for (let agent = admitted; ; ) {
      const ear = server.bell.listen(agent.clusterId);
      try {
        const { lookAgainMillis, ...found } = await look(server, agent, query);
        const rest = server.bell.isCrowded(agent.clusterId) ? 0 : until - performance.now();
        const something = found.desired !== undefined || found.logs !== undefined;
        const commands = found.commands.length + found.cancelled.length > 0;
        if (something || commands || rest <= 0 || server.bell.closed || leaving.signal.aborted) return found;
        await ear.wait(Math.min(rest, lookAgainMillis), leaving.signal);
      } finally {
        ear.leave();
      }
      // The agent may have been revoked or superseded meanwhile.
      agent = await admitAgent(server, request.headers, from);
      await currentIncarnation(server, agent, request.headers);
    }
  },
});

async function look(
  server: ServerParts,
  agent: AdmittedAgent,
  { since, logs }: { since: number; logs?: string | undefined },
): Promise<Found> {
  const { database, keyring, logReaders } = server;
  const { kysely } = database;
  const found: Found = { commands: [], cancelled: [], lookAgainMillis: longestWait * 1_000 };
  if (agent.desiredRevision !== since) {
    const desired = await desiredSince(kysely, keyring, agent.clusterId, since);
    const { slices, broken } = withoutUnknown(agent.protocolMinor, desired.slices);
    found.desired = {
      ...desired,
      ...{ slices: understoodBy(agent.protocolMinor, slices), broken: [...desired.broken, ...broken] },
    };
  }
  const readers = logs === undefined ? undefined : await logReaders.of(agent.clusterId);
  if (readers !== undefined && readers.revision !== logs) found.logs = readers;
  const { clusterId, journalId, protocolMinor } = agent;
  if (journalId === null) return found;
  const taking = { clusterId, journalId, protocolMinor };
  const { commands, cancelled, unheard } = await takeCommands(kysely, keyring, taking);
  found.commands = commands;
  // Said once every few seconds, or an agent that is slow to stop would be answered over and over.
  found.cancelled = cancelled.filter((id) => server.cancellations.isDue(id));
  if (unheard || cancelled.length > 0) found.lookAgainMillis = deliveredAgainSeconds * 1_000;
  return found;
}
