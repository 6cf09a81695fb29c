import { type Kysely, sql } from 'kysely';
import type { AuditAction } from '../../domain/audit-actions.ts';
import type { Effect } from '../engine/effect.ts';
import type { JsonObject } from '../postgres/json.ts';
import type { Tables } from '../postgres/tables.ts';
import { findOrganization, type OrganizationView } from './organizations.ts';

/** Settings that administrators may change. An omitted one stays as is. */
export interface OrganizationChanges {
  name?: string | undefined;
  defaultClusterId?: string | null | undefined;
  buildRegistryCredentialId?: string | null | undefined;
  buildRepositoryPrefix?: string | null | undefined;
  requireMfa?: boolean | undefined;
}

const columns = {
  name: 'name',
  defaultClusterId: 'default_cluster_id',
  buildRegistryCredentialId: 'build_registry_credential_id',
  buildRepositoryPrefix: 'build_repository_prefix',
  requireMfa: 'require_mfa',
} as const;
const fields = Object.keys(columns) as (keyof typeof columns)[];

/** Writes what differs. Call it with the organization as it is under its lock (`lockMembers`). */
export async function updateOrganization(
  effect: Effect,
  before: OrganizationView,
  changes: OrganizationChanges,
): Promise<OrganizationView> {
  const { id } = before;
  const changed = fields.filter((field) => changes[field] !== undefined && changes[field] !== before[field]);
  if (changed.length === 0) return before;
  await effect.kysely
    .updateTable('organization')
    .set(Object.fromEntries(changed.map((field) => [columns[field], changes[field]])))
    .where('id', '=', id)
    .execute();
  const details: JsonObject = {};
  for (const field of changed) details[field] = { from: before[field], to: changes[field] ?? null };
  record(effect, 'organization.updated', id, changes.name ?? before.name, details);
  // Open streams may need more proof than a moment ago: each reconnects and is checked again.
  if (changed.includes('requireMfa')) {
    effect.change({ organizationId: id, kind: 'credential.organization', id });
  }
  const after = await findOrganization(effect.kysely, id);
  if (after === undefined) throw new Error('The organization that was just written is not there.');
  return after;
}

/** Those who used no second factor when they last signed in: how many there are, and the first few by name. */
export async function membersWithoutMfa(
  kysely: Kysely<Tables>,
  organizationId: string,
  exceptUserId: string | undefined,
): Promise<{ count: number; names: string[] }> {
  const { rows } = await sql<{ count: number; names: string[] }>`
    select count(*)::int as count, coalesce((array_agg(name order by name))[1:5], '{}') as names
    from membership join app_user on app_user.id = membership.user_id
    where organization_id = ${organizationId} and not mfa and disabled_at is null
      and user_id is distinct from ${exceptUserId ?? null}::uuid
  `.execute(kysely);
  return rows[0] ?? { count: 0, names: [] };
}

/** How long what is deleted is kept, an approval waits, and a machine's join token lives. */
const lasting = {
  deletedRetentionHours: { column: 'deleted_retention_hours', action: 'organization.deleted_retention_set' },
  approvalExpiryHours: { column: 'approval_expiry_hours', action: 'organization.approval_expiry_set' },
  joinTokenTtlSeconds: { column: 'join_token_ttl_seconds', action: 'organization.join_token_ttl_set' },
} as const;
export type Lasting = keyof typeof lasting;

/** `undefined`: there is no such organization. */
export async function findLasting(
  kysely: Kysely<Tables>,
  organizationId: string,
  what: Lasting,
): Promise<number | undefined> {
  const row = await lastingOf(kysely, organizationId, what).executeTakeFirst();
  return row?.value;
}

/** The same, kept as it is until the effect ends. */
export async function lockLasting(effect: Effect, organizationId: string, what: Lasting): Promise<number | undefined> {
  return (await lastingOf(effect.kysely, organizationId, what).forNoKeyUpdate().executeTakeFirst())?.value;
}

/** `false`: there is no such organization. */
export async function setLasting(
  effect: Effect,
  organizationId: string,
  what: Lasting,
  value: number,
): Promise<boolean> {
  const before = await lastingOf(effect.kysely, organizationId, what).forNoKeyUpdate().executeTakeFirst();
  if (before === undefined) return false;
  if (before.value === value) return true;
  const { column, action } = lasting[what];
  await effect.kysely
    .updateTable('organization')
    .set({ [column]: value })
    .where('id', '=', organizationId)
    .execute();
  record(effect, action, organizationId, before.name, { from: before.value, to: value });
  return true;
}

function lastingOf(kysely: Kysely<Tables>, organizationId: string, what: Lasting) {
  return kysely
    .selectFrom('organization')
    .select(['name', `${lasting[what].column} as value`])
    .where('id', '=', organizationId)
    .where('deletion_id', 'is', null);
}

function record(effect: Effect, action: AuditAction, id: string, name: string, details: JsonObject): void {
  effect.audit(action, { organizationId: id, id, name }, details);
  effect.change({ organizationId: id, kind: 'organization', id });
}
