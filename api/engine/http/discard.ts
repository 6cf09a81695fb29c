import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { destroySoon } from './destroy-soon.ts';

const mostDiscarded = { admitted: 64 * 1024 * 1024, stranger: 64 * 1024 };

/**
 * A request can be answered before its body was read: refused, or too large. An admitted client is spared a broken
 * connection: the rest is read and thrown away, up to a bound. Of a stranger's body next to nothing is read, and its
 * connection ends with the answer.
 */
export function discardUnreadBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    if (!raw.complete && request.body === undefined && hasBody(raw.headers)) {
      const most = request.admitted ? mostDiscarded.admitted : mostDiscarded.stranger;
      let discarded = 0;
      raw.on('data', (chunk: Buffer) => {
        discarded += chunk.length;
        if (discarded <= most) return;
        if (request.admitted) raw.destroy();
        else raw.pause();
      });
      raw.resume();
      if (!request.admitted) {
        reply.header('connection', 'close');
        reply.raw.once('finish', () => destroySoon(raw.socket));
      }
    }
    done(null, payload);
  });
}

/**
 * The framework ends a connection whose body was too large, by which the answer would be lost: here its rest is discarded. The
 * header is not removed, since none would be sent then, not even where the connection ends because the client wants it to.
 */
export function keepOpen(reply: FastifyReply): void {
  if (reply.hasHeader('connection')) reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
