import type { Incoming } from '../input/incoming.ts';
import type { Deadline } from '../pipeline/deadline.ts';
import type { NamedOperation } from '../registry.ts';

/** One HTTP request to an operation, from its first byte to the end of its answer. */
export interface Visit {
  incoming: Incoming;
  deadline: Deadline;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route serves. */
    operation?: NamedOperation;
    /** A long poll: the answer comes when there is something to say, so it does not count among the requests in work. */
    waits?: true;
    /** Asked so often that its line in the log is for those who look for it. */
    quiet?: true;
    /** Asked by those who watch over the process: answered however much there is to do. */
    uncounted?: true;
  }
  interface FastifyRequest {
    /** The credential is good: from here on the body may be read. */
    admitted: boolean;
    visit: Visit | null;
    /** The code of the problem it ended in, for the log. */
    problem: string | null;
  }
}
