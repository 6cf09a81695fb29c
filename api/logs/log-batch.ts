import { isId } from '../../domain/ids.ts';
import { Problem } from '../../domain/problems.ts';
import { logBatch as logBatchBody } from '../../protocol/logs.ts';
import { incarnationRoute } from '../agent-link/agent-route.ts';

/** Part of a log for one reader. Answered when the reader has room for it, so an agent sends no faster than it is read. */
export const logBatch = incarnationRoute({
  method: 'POST',
  url: 'logs/:id',
  body: logBatchBody,
  bodyLimit: 1024 * 1024,
  waits: true,
  async handle({ server, body, id, reply }, agent): Promise<{ taken: boolean }> {
    const leaving = new AbortController();
    reply.raw.once('close', () => leaving.abort());
    const taken = isId(id) ? await server.logReaders.deliver(agent.cluster, id, body, leaving.signal) : undefined;
    if (taken === undefined) throw new Problem('not-found', 'Nobody reads this log any more.');
    return { taken };
  },
});
