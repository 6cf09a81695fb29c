import { z } from 'zod';
import { connectionAccess, findConnection, type GitConnectionView } from '../../db/git-connections/connections.ts';
import type { Keyring } from '../../db/keys/keys.ts';
import type { Database } from '../../db/postgres/database.ts';
import { tokenPage } from '../../domain/git/clone-url.ts';
import { gitConnectionKinds, gitProviders } from '../../domain/git/connections.ts';
import { Problem } from '../../domain/problems.ts';
import { OutboundFailed, OutboundRefused } from '../../outbound/failures.ts';
import { type GitHost, gitHost } from '../../outbound/git/host.ts';
import type { OutboundRules } from '../../outbound/rules.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { sharedResource } from '../engine/resource.ts';
import { projectsOf, projectsShownTo, shownProjects, usedForOf } from '../source-credentials/projects-field.ts';

export const theGitConnection = sharedResource('Git connection', findConnection, projectsOf);

export const gitConnectionPath = z.strictObject({ id: z.guid().toLowerCase() });

export const gitConnectionSchema = z
  .object({
    id: z.guid(),
    organizationId: z.guid(),
    kind: z.enum(gitConnectionKinds),
    provider: z.enum(gitProviders).describe('Whose interface the host speaks; `plain`: git over https alone.'),
    host: z.string().describe('`git.example.com`, with its port if it is not the usual one.'),
    label: z.string(),
    accountLogin: z.string().describe('Whose token it is, if the host says it.'),
    installed: z.boolean().describe('Always true of connections with a token.'),
    missingPermissions: z.array(z.string()).describe('Rights that Ballast asks for and the token lacks.'),
    manageUrl: z.string().describe('Where the host manages tokens.'),
    webhookUrl: z.string().describe('Where the host is to send what is pushed.'),
    lastError: z.string().describe('Why the last check failed.'),
    lastDeliveryStatus: z
      .string()
      .describe('Empty to a token that is limited to projects: it tells of services of all.'),
    lastDeliveryAt: z.iso.datetime().optional(),
    verifiedAt: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
    ...shownProjects,
  })
  .meta({ id: 'GitConnection' });

export function gitConnectionAnswer(
  caller: OrganizationCaller,
  connection: GitConnectionView,
  publicUrl: string,
): z.output<typeof gitConnectionSchema> {
  const { createdAt, createdBy: _, lastDeliveryAt, verifiedAt, ...rest } = projectsShownTo(caller, connection);
  return {
    ...rest,
    lastDeliveryStatus: caller.isLimitedToProjects ? '' : rest.lastDeliveryStatus,
    installed: true,
    manageUrl: tokenPage(connection),
    webhookUrl: new URL(`/webhooks/git/${connection.id}`, publicUrl).href,
    ...(lastDeliveryAt === null ? {} : { lastDeliveryAt: lastDeliveryAt.toISOString() }),
    ...(verifiedAt === null ? {} : { verifiedAt: verifiedAt.toISOString() }),
    createdAt: createdAt.toISOString(),
  };
}

/** The bound of all that one request asks a host. */
const mostMillis = 20_000;

/** The host of a connection, with its token. */
export async function hostOf(
  { id, organizationId, provider, host }: GitConnectionView,
  parts: {
    caller: OrganizationCaller;
    database: Database;
    server: { keyring: Pick<Keyring, 'decryptSecret'>; outbound: OutboundRules };
  },
): Promise<GitHost> {
  const { caller, database, server } = parts;
  const used = { id, usedFor: usedForOf(caller) };
  const access = await connectionAccess(database.kysely, server.keyring, organizationId, used);
  if (access === undefined) throw new Problem('not-found', 'This Git connection was just deleted.');
  return gitHost(provider, { host, token: access.token }, { ...server.outbound, timeoutMillis: mostMillis });
}

/** What a host answered, or the sentence that says why not. */
export async function toldBy<T>(ask: () => Promise<T>): Promise<{ told: T } | { error: string }> {
  try {
    return { told: await ask() };
  } catch (error) {
    if (error instanceof OutboundFailed || error instanceof OutboundRefused) return { error: error.message };
    throw error;
  }
}
