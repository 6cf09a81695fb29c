import type { FastifyInstance } from 'fastify';

const mostDiscarded = 64 * 1024 * 1024;

/**
 * A request can be answered before its body was read: refused, or too large. The rest is then read and thrown away, up to
 * a bound, so that the client gets the answer instead of a broken connection.
 */
export function discardUnreadBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, _, payload, done) => {
    const { raw } = request;
    if (!raw.complete && request.body === undefined && raw.headers['content-length'] !== '0') {
      let discarded = 0;
      raw.on('data', (chunk: Buffer) => {
        discarded += chunk.length;
        if (discarded > mostDiscarded) raw.destroy();
      });
      raw.resume();
    }
    done(null, payload);
  });
}
