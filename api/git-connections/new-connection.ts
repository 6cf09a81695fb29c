import { sql } from 'kysely';
import { z } from 'zod';
import type { Effect } from '../../db/engine/effect.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { createConnection, type NewConnection } from '../../db/git-connections/connections.ts';
import type { FieldError } from '../../domain/problems.ts';
import { gitHost } from '../../outbound/git/host.ts';
import { probeGitHost } from '../../outbound/git/probe.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidFields } from '../engine/input/input.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { gitConnectionAnswer, toldBy } from './git-connection.ts';

export const tokenText = z
  .string()
  .trim()
  .min(1)
  .max(4_000)
  .regex(/^[\x21-\x7e]+$/, { error: 'must be a token, without spaces' })
  .meta({ writeOnly: true })
  .describe('Stored encrypted, sent to this host alone and never answered.');

type Given = Pick<NewConnection, 'kind' | 'host' | 'token'> & { label: string | undefined };

/** What the host says of the token. A host or a token that is of no use is refused before anything is written. */
export async function verified({ kind, host, label, token }: Given, { outbound }: ServerParts): Promise<NewConnection> {
  const rules = { ...outbound, timeoutMillis: 15_000 };
  const provider = await toldBy(() => probeGitHost(host, rules));
  if ('error' in provider) throw refused('body.host', `cannot be used: ${provider.error}`);
  const account = await toldBy(() => gitHost(provider.told, { host, token }, rules).account());
  if ('error' in account) throw refused('body.token', `is not accepted: ${account.error}`);
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
    remedy: 'delete one that is not needed',
  });
  const created = await createConnection(effect, keyring, organizationId, connection);
  return gitConnectionAnswer(caller, created, settings.PUBLIC_URL);
}

/** Without the value: it may be a secret. */
function refused(location: string, message: string) {
  const error: FieldError = { location, message };
  return invalidFields([error]);
}
