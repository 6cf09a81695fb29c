import { sql } from 'kysely';
import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import {
  connectionAccess,
  createConnection,
  findConnection,
  type GitConnectionView,
  type NewConnection,
} from '../../db/git-connections/connections.ts';
import type { Keyring } from '../../db/keys/keys.ts';
import type { Database } from '../../db/postgres/database.ts';
import { tokenPage } from '../../domain/git/address.ts';
import { gitConnectionKinds, gitProviders } from '../../domain/git/connections.ts';
import { Problem } from '../../domain/problems.ts';
import { outboundFault } from '../../outbound/failures.ts';
import { type GitHost, gitHost } from '../../outbound/git/host.ts';
import { probeGitHost } from '../../outbound/git/probe.ts';
import type { OutboundRules } from '../../outbound/rules.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField } from '../engine/input/input.ts';
import { sharedResource } from '../engine/resource.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { projectsOf, projectsShownTo, shownProjects, usedForOf } from '../source-credentials/projects-field.ts';

export const theGitConnection = sharedResource('Git connection', findConnection, projectsOf);

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
): AnswerOf<typeof gitConnectionSchema> {
  return {
    ...projectsShownTo(caller, connection),
    lastDeliveryStatus: caller.isLimitedToProjects ? '' : connection.lastDeliveryStatus,
    installed: true,
    manageUrl: tokenPage(connection),
    webhookUrl: new URL(`/webhooks/git/${connection.id}`, publicUrl).href,
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
    return { error: outboundFault(error) };
  }
}

export const tokenText = z
  .string()
  .trim()
  .min(1)
  .max(4_000)
  .regex(/^[\x21-\x7e]+$/, { error: 'must be a token, without spaces' })
  .meta({ writeOnly: true })
  .describe('Stored encrypted, sent to this host alone and never answered.');

type ConnectionBody = Pick<NewConnection, 'kind' | 'host' | 'token'> & { label: string | undefined };

/** What the host says of the token. A host or a token that is of no use is refused before anything is written. */
export async function verified(
  { kind, host, label, token }: ConnectionBody,
  { outbound }: ServerParts,
): Promise<NewConnection> {
  const rules = { ...outbound, timeoutMillis: 15_000 };
  const provider = await toldBy(() => probeGitHost(host, rules));
  if ('error' in provider) throw invalidField('body.host', `cannot be used: ${provider.error}`);
  const account = await toldBy(() => gitHost(provider.told, { host, token }, rules).account());
  if ('error' in account) throw invalidField('body.token', `is not accepted: ${account.error}`);
  const { login, missingPermissions } = account.told;
  const named = login === '' ? host : `${login} on ${host}`;
  return { kind, host, token, label: label ?? named, provider: provider.told, accountLogin: login, missingPermissions };
}

export async function writeConnection(
  effect: Effect,
  caller: OrganizationCaller,
  connection: NewConnection,
  { settings, keyring }: ServerParts,
) {
  const organizationId = caller.organization.id;
  await refuseBeyond(effect, {
    setting: 'GIT_CONNECTIONS_PER_ORGANIZATION',
    most: settings.GIT_CONNECTIONS_PER_ORGANIZATION,
    owner: organizationId,
    things: 'Git connections in this organization',
    rows: sql`git_connection where organization_id = ${organizationId}`,
  });
  const created = await createConnection(effect, keyring, organizationId, connection);
  return gitConnectionAnswer(caller, created, settings.PUBLIC_URL);
}
