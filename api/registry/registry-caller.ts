import type { FastifyRequest } from 'fastify';
import type { Author } from '../../db/engine/author.ts';
import {
  isBuiltOnCluster,
  type Repository,
  type RepositoryPath,
  repositoryByPath,
  runsOnCluster,
} from '../../db/registry/repositories.ts';
import { Problem } from '../../domain/problems.ts';
import { mayActAs } from '../../domain/roles.ts';
import { admitAgent } from '../agent-link/admit-agent.ts';
import { Pace } from '../agent-link/agent-route.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import type { ClientAddress } from '../engine/http/client-address.ts';
import { knownCaller, noteUse } from '../engine/pipeline/admit.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { RegistryError } from './registry-error.ts';

/** `tag` and `delete`: what images are called, and whether they stay, is up to people. */
export type Right = 'pull' | 'push' | 'tag' | 'delete';

/** Who asks the registry: somebody with an API token, or the agent of a cluster. */
export interface RegistryCaller {
  author: Author;
  /** The repository of that path, if the caller may do this there. One that it may not see does not exist. */
  repository(path: RepositoryPath, right: Right): Promise<Repository>;
}

/** An agent asks for a few blobs of each image; one that floods us takes nothing from others. */
const agentRequests = new Pace({ perSecond: 100, atOnce: 500 });

/** Who asks, before the body is read. Cookies count for nothing here: a browser sends them by itself. */
export async function admitRegistryCaller(
  server: ServerParts,
  clients: ClientAddress,
  request: FastifyRequest,
): Promise<RegistryCaller> {
  const address = clients.of(request.raw);
  const { authorization } = request.headers;
  const secret = secretOf(authorization);
  if (secret === undefined) {
    const { RATE_LIMIT_PER_MINUTE, RATE_LIMIT_ANONYMOUS_PER_MINUTE } = server.settings;
    // Clients that wait to be asked for their credential send each request twice: as many are answered without one as with it.
    if (authorization === undefined) await server.rates.spend('challenge', address, RATE_LIMIT_PER_MINUTE);
    else await server.rates.spend('anonymous', address, RATE_LIMIT_ANONYMOUS_PER_MINUTE);
    throw new RegistryError(
      'UNAUTHORIZED',
      'Sign in to the registry: `docker login` with any user name and an API token (svc_…) as password.',
    );
  }
  const headers = { authorization: `Bearer ${secret}` };
  if (!secret.startsWith('svc_')) return agentCaller(server, headers, { address, requestId: request.id });
  const incoming = { requestId: request.id, address, headers };
  const caller = await knownCaller(server, incoming).catch(async (error: unknown) => {
    if (error instanceof Problem && error.code === 'no-credential') {
      await server.rates.spend('anonymous', address, server.settings.RATE_LIMIT_ANONYMOUS_PER_MINUTE);
    }
    throw error;
  });
  await server.rates.spend('credential', caller.credential.id, server.settings.RATE_LIMIT_PER_MINUTE);
  noteUse(server, caller);
  const [membership] = caller.memberships;
  if (membership === undefined) throw unknown();
  return tokenCaller(server, caller.in(membership));
}

function tokenCaller({ database }: ServerParts, caller: OrganizationCaller): RegistryCaller {
  return {
    author: caller.author,
    async repository(path, right) {
      const { id, slug } = caller.organization;
      const found = path.organization === slug ? await repositoryByPath(database.kysely, id, path) : undefined;
      if (found === undefined || !caller.seesProject(found.projectId)) throw unknown(path);
      if (right !== 'pull' && !mayActAs(caller.role, 'deployer')) {
        throw new RegistryError(
          'DENIED',
          `To push to ${found.path} and to delete there needs the role deployer; this token has the role ${caller.role}.`,
        );
      }
      return found;
    },
  };
}

/** By the credential that the agent has anyway: it ends with the agent, and opens what is to run or is being built on its cluster. */
async function agentCaller(
  server: ServerParts,
  headers: { authorization: string },
  from: { address: string; requestId: string },
): Promise<RegistryCaller> {
  const agent = await admitAgent(server, headers, from);
  if (!agentRequests.allows(agent.clusterId)) {
    throw new RegistryError('TOOMANYREQUESTS', 'This agent sends too many requests; it has to wait a little.', {
      headers: { 'retry-after': '1' },
    });
  }
  const { kysely } = server.database;
  return {
    author: agent.author,
    async repository(path, right) {
      const { organizationId, clusterId } = agent;
      const found = await repositoryByPath(kysely, organizationId, path);
      if (found === undefined) throw unknown(path);
      const pushes = right === 'push' && (await isBuiltOnCluster(kysely, clusterId, found));
      const pulls =
        pushes || (await runsOnCluster(kysely, clusterId, found)) || (await isBuiltOnCluster(kysely, clusterId, found));
      if (!pulls) throw unknown(path);
      if (right === 'pull' || pushes) return found;
      throw new RegistryError(
        'DENIED',
        'Agents pull images. They push to the repository of a service while they build it, and neither tag nor delete.',
      );
    },
  };
}

/** Basic with any user name, as clients of registries send it, or Bearer. */
function secretOf(authorization: string | undefined): string | undefined {
  const [, scheme, value = ''] = /^(Basic|Bearer) +([A-Za-z0-9+/=_-]{1,1024})$/i.exec(authorization ?? '') ?? [];
  if (scheme === undefined) return undefined;
  const text = scheme.toLowerCase() === 'bearer' ? value : passwordOf(Buffer.from(value, 'base64').toString('utf8'));
  return text !== undefined && /^[A-Za-z0-9_-]{16,200}$/.test(text) ? text : undefined;
}

function passwordOf(pair: string): string | undefined {
  const at = pair.indexOf(':');
  return at < 0 ? undefined : pair.slice(at + 1);
}

function unknown(path?: RepositoryPath): RegistryError {
  const name = path === undefined ? 'This repository' : `${path.organization}/${path.project}/${path.service}`;
  return new RegistryError(
    'NAME_UNKNOWN',
    `${name} does not exist, or this credential may not see it. Repositories are named <organization>/<project>/<service> and exist once the service does.`,
  );
}
