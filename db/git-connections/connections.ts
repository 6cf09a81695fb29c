import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { GitConnectionKind, GitProvider } from '../../domain/git/connections.ts';
import { Problem } from '../../domain/problems.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import type { JsonObject } from '../postgres/json.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import {
  type AllowedProjects,
  everyProject,
  mayUse,
  projectIdsOf,
  type UsedFor,
  writeAllowedProjects,
} from '../source-credentials/allowed-projects.ts';
import { namesOf, servicesUsing } from '../source-credentials/used-by.ts';
import { tokenPlace, webhookPlace } from './connection-access.ts';

export {
  type ConnectionAccess,
  connectionAccess,
  tokenPlace,
  webhookPlace,
  webhookSecret,
} from './connection-access.ts';

export interface GitConnectionView extends AllowedProjects {
  id: string;
  organizationId: string;
  kind: GitConnectionKind;
  provider: GitProvider;
  host: string;
  label: string;
  accountLogin: string;
  missingPermissions: string[];
  lastError: string;
  lastDeliveryStatus: string;
  lastDeliveryAt: Date | null;
  verifiedAt: Date | null;
  createdBy: string;
  createdAt: Date;
}

const columns = [
  'id',
  'organization_id as organizationId',
  'kind',
  'provider',
  'host',
  'label',
  'account_login as accountLogin',
  'missing_permissions as missingPermissions',
  'last_error as lastError',
  'last_delivery_status as lastDeliveryStatus',
  'last_delivery_at as lastDeliveryAt',
  'verified_at as verifiedAt',
  'created_by as createdBy',
  'created_at as createdAt',
  'all_projects as allProjects',
] as const;

export async function findConnection(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<GitConnectionView | undefined> {
  return await tenant(kysely, organizationId)
    .selectFrom('git_connection')
    .select(columns)
    .select(projectIdsOf('git_connection').as('projectIds'))
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The organization's Git connections that one of these projects may use, oldest first. */
export async function listConnections(
  kysely: Kysely<Tables>,
  organizationId: string,
  usedFor: UsedFor,
  page: Page,
): Promise<GitConnectionView[]> {
  const query = tenant(kysely, organizationId)
    .selectFrom('git_connection')
    .select(columns)
    .select(projectIdsOf('git_connection').as('projectIds'))
    .where(mayUse('git_connection', usedFor))
    .$call(pageOf('git_connection', 'oldest', page));
  return await query.execute();
}

export interface NewConnection {
  kind: GitConnectionKind;
  provider: GitProvider;
  host: string;
  label: string;
  token: string;
  accountLogin: string;
  missingPermissions: readonly string[];
  /** By default all. */
  allowed?: AllowedProjects;
}

/** One whose token its host has just accepted. The secret of its webhook is made here. */
export async function createConnection(
  effect: Effect,
  keyring: Pick<Keyring, 'encryptSecret'>,
  organizationId: string,
  { kind, provider, host, label, token, accountLogin, missingPermissions, allowed = everyProject }: NewConnection,
): Promise<GitConnectionView> {
  const id = uuid();
  try {
    await tenant(effect.kysely, organizationId)
      .insertInto('git_connection')
      .values({
        ...{ id, kind, provider, host, label, account_login: accountLogin },
        missing_permissions: [...missingPermissions],
        sealed: await keyring.encryptSecret(organizationId, tokenPlace(id), token),
        sealed_webhook: await keyring.encryptSecret(organizationId, webhookPlace(id), newSecret()),
        // Of a host that only serves git, a repository alone can say whether it takes the token.
        verified_at: provider === 'plain' ? null : sql`now()`,
        created_by: effect.author.name,
      })
      .execute();
  } catch (error) {
    if (uniqueViolation(error) !== 'git_connection_organization_id_label_unique') throw error;
    throw new Problem('conflict', `A Git connection named "${label}" exists already: choose another label.`, {
      errors: [{ location: 'body.label', message: 'another Git connection has this label', value: label }],
    });
  }
  await writeAllowedProjects(effect.kysely, { kind: 'git_connection', organizationId, id }, allowed);
  record(effect, organizationId, 'created', { id, label }, { kind, provider, host, ...allowed });
  const created = await findConnection(effect.kysely, organizationId, id);
  if (created === undefined) throw new Error(`The Git connection ${id} that was just written is not there.`);
  return created;
}

/** Not while a service is built from it: that would be found out with the next push. */
export async function deleteConnection(
  effect: Effect,
  organizationId: string,
  { id, label }: { id: string; label: string },
): Promise<void> {
  // Staging a source with it holds the row meanwhile.
  await tenant(effect.kysely, organizationId)
    .selectFrom('git_connection')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .execute();
  const services = await servicesUsing(effect.kysely, { kind: 'git_connection', organizationId, id });
  if (services.length > 0) {
    const named = namesOf(services, ({ service }) => `"${service}"`);
    throw new Problem(
      'conflict',
      `"${label}" is the source of ${named}: give them another source, and apply that, first.`,
    );
  }
  await tenant(effect.kysely, organizationId).deleteFrom('git_connection').where('id', '=', id).execute();
  record(effect, organizationId, 'deleted', { id, label });
}

/** What asking the host has shown: whose token it is, or why it is of no use. */
export type CheckResult = { accountLogin: string; missingPermissions: readonly string[] } | { error: string };

export async function noteCheck(
  effect: Effect,
  organizationId: string,
  { id, label }: { id: string; label: string },
  result: CheckResult,
): Promise<void> {
  await tenant(effect.kysely, organizationId)
    .updateTable('git_connection')
    .set(
      'error' in result
        ? { last_error: result.error }
        : {
            last_error: '',
            account_login: result.accountLogin,
            missing_permissions: [...result.missingPermissions],
            verified_at: sql`case when provider = 'plain' then null else now() end`,
          },
    )
    .where('id', '=', id)
    .execute();
  record(effect, organizationId, 'checked', { id, label }, 'error' in result ? { failed: true } : {});
}

/** A message of its webhook came: `status` is a few words for people, such as `taken` or why it was refused. */
export async function noteDelivery(
  effect: Pick<Effect, 'kysely' | 'change'>,
  organizationId: string,
  id: string,
  status: string,
): Promise<void> {
  await tenant(effect.kysely, organizationId)
    .updateTable('git_connection')
    .set({ last_delivery_status: status.slice(0, 500), last_delivery_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
  effect.change({ organizationId, kind: 'git_connection', id });
}

/** A new secret for its webhook; what is signed with the old one is refused from then on. */
export async function replaceWebhookSecret(
  effect: Effect,
  keyring: Pick<Keyring, 'encryptSecret'>,
  organizationId: string,
  { id, label }: { id: string; label: string },
): Promise<string> {
  const secret = newSecret();
  await tenant(effect.kysely, organizationId)
    .updateTable('git_connection')
    .set({ sealed_webhook: await keyring.encryptSecret(organizationId, webhookPlace(id), secret) })
    .where('id', '=', id)
    .execute();
  record(effect, organizationId, 'webhook_secret_replaced', { id, label });
  return secret;
}

function newSecret(): string {
  return randomBytes(32).toString('hex');
}

function record(
  effect: Effect,
  organizationId: string,
  deed: 'created' | 'deleted' | 'checked' | 'webhook_secret_replaced',
  { id, label }: { id: string; label: string },
  details: JsonObject = {},
): void {
  effect.audit(`git_connection.${deed}`, { organizationId, id, name: label }, details);
  effect.change({ organizationId, kind: 'git_connection', id });
}
