import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problems.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    /** The command line as it is given away. */
    readonly clientProgram: ClientProgram | undefined;
  }
}

/** The command line that is installed alone, as one file of JavaScript and as a package of npm. Made by others, when it is asked for. */
export type ClientProgram = () => Promise<{ script: Buffer; archive: Buffer }>;

/** Public: it holds no secret, and a CI job fetches it before it has a credential. */
export function clientRoutes(app: FastifyInstance, server: ServerParts, clients: ClientAddress): void {
  const give = (name: string, type: string, which: 'script' | 'archive') =>
    app.get(`/api/v1/cli/${name}`, async (request, reply) => send(request, reply.type(type), which));
  give('ballast.mjs', 'text/javascript; charset=utf-8', 'script');
  give('ballast.tgz', 'application/gzip', 'archive');

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    which: 'script' | 'archive',
  ): Promise<FastifyReply> {
    const { rates, settings, clientProgram } = server;
    await rates.spend('anonymous', clients.of(request.raw), settings.RATE_LIMIT_ANONYMOUS_PER_MINUTE);
    if (clientProgram === undefined) throw notMade();
    const files = await clientProgram().catch((error: unknown) => {
      server.log.error({ err: error }, 'The command line cannot be made');
      throw notMade();
    });
    return reply.header('cache-control', 'public, max-age=300').send(files[which]);
  }
}

function notMade(): Problem {
  return new Problem('unavailable', 'This control plane cannot give its command line away now: its log says why.', {
    retryAfterSeconds: 10,
  });
}
