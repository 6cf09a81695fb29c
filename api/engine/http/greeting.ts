import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../../../domain/problems.ts';
import type { Settings } from '../../../domain/settings/settings.ts';
import { hostCheck } from './host.ts';

/** Requests in work at once in one process, streams aside. Beyond that, waiting longer helps nobody. */
const mostAtOnce = 1000;

/** The first checks of every request: is it meant for this host, and is there capacity for it? */
export function greet(app: FastifyInstance, settings: Settings): void {
  const checkHost = hostCheck(settings.PUBLIC_URL);
  let closing = false;
  let inWork = 0;
  const working = new WeakSet<FastifyReply>();
  const finished = (reply: FastifyReply) => {
    if (working.delete(reply)) inWork -= 1;
  };
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (_, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('onRequest', (request, _, done) => {
    try {
      checkHost(request.raw);
    } catch (error) {
      return done(error instanceof Error ? error : undefined);
    }
    const { operation, waits } = request.routeOptions.config ?? {};
    const lasting = operation?.operation.stream !== undefined || waits;
    // Who was accepted before the stop is answered; only what would outlast it has to look for the next process.
    if (closing && lasting) {
      return done(new Problem('unavailable', 'This process is about to stop; try again.', { retryAfterSeconds: 1 }));
    }
    done();
  });
  // Not before the body is there: those who never send theirs must not count.
  app.addHook('preValidation', (request, reply, done) => {
    const { operation, waits, uncounted } = request.routeOptions.config ?? {};
    const lasting = operation?.operation.stream !== undefined || waits;
    if (lasting || uncounted || reply.raw.closed) return done();
    if (inWork >= mostAtOnce) {
      return done(
        new Problem('unavailable', 'The control plane is overloaded; try again in a moment.', {
          retryAfterSeconds: 1,
        }),
      );
    }
    inWork += 1;
    working.add(reply);
    reply.raw.once('close', () => finished(reply));
    done();
  });
  // The work is done when the answer is ready: how slowly it is read does not count.
  app.addHook('onSend', (_, reply, payload, done) => {
    finished(reply);
    done(null, payload);
  });
}
