import { type Kysely, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { actorId } from '../../domain/actors/actors.ts';
import type { AuditAction } from '../../domain/audit-actions.ts';
import type { DeletionState } from '../../domain/deletions/deletions.ts';
import { Problem } from '../../domain/problems.ts';
import type { Author, Effect } from '../engine/effect.ts';
import { slugTaken } from '../organizations/organizations.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants } from '../postgres/tenant.ts';
import { decided, purgeable, repeatable, restorable } from './deletion-rules.ts';

export interface DeletionView {
  id: string;
  kind: 'organization';
  organizationId: string;
  name: string;
  slug: string;
  requireMfa: boolean;
  state: DeletionState;
  message: string | null;
  blocker: string | null;
  createdAt: Date;
  restoreUntil: Date;
  /** Whether the owner may still have it back. */
  restorable: boolean;
  /** Whether the owner may still ask for the purge. */
  purgeable: boolean;
  requestedBy: { kind: Author['kind']; id: string; name: string };
}

export interface DeletionPosition {
  createdAt: Date;
  id: string;
}

/** Deleted organizations that the user owns, newest first; purged and restored ones are left out. */
export async function listDeletions(
  kysely: Kysely<Tables>,
  userId: string,
  page: { limit: number; after?: DeletionPosition | undefined },
): Promise<DeletionView[]> {
  const { after } = page;
  let query = deletionsOfOwner(kysely, userId)
    .orderBy('deletion.created_at', 'desc')
    .orderBy('deletion.id', 'desc')
    .limit(page.limit);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('deletion.created_at', 'deletion.id'), '<', tuple(after.createdAt, after.id)),
    );
  }
  return (await query.execute()).map(view);
}

export async function findDeletion(
  kysely: Kysely<Tables>,
  userId: string,
  id: string,
): Promise<DeletionView | undefined> {
  const row = await deletionsOfOwner(kysely, userId).where('deletion.id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : view(row);
}

/**
 * Deletes an organization: from the commit on it is invisible, its tokens and streams are dead and its slug is free,
 * and its actor waits for the retention to pass. `undefined`: there is none, or it is deleted already.
 */
export async function deleteOrganization(
  effect: Effect,
  organizationId: string,
): Promise<{ deletionId: string; restoreUntil: Date } | undefined> {
  const organization = await effect.kysely
    .selectFrom('organization')
    .select(['name', 'slug', 'deleted_retention_hours'])
    .where('id', '=', organizationId)
    .where('deletion_id', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (organization === undefined) return undefined;
  const { name, slug, deleted_retention_hours: hours } = organization;
  const deletion = await begin(effect, { organizationId, name, slug, hours, purgeRequested: false });
  record(effect, 'organization.deleted', { organizationId, name, slug, deletionId: deletion.deletionId });
  return deletion;
}

/** The owner wants it back. `slug`: another one, where the old one was taken meanwhile. Throws a Problem otherwise. */
export async function restoreOrganization(
  effect: Effect,
  deletionId: string,
  slug?: string,
): Promise<{ organizationId: string; name: string; slug: string }> {
  const row = await lockDeletion(effect, deletionId);
  if (!row.restorable) throw decided(row.state, 'restored');
  const { organization_id: organizationId, name } = row;
  const wanted = slug ?? row.slug;
  await effect.kysely
    .updateTable('deletion')
    .set({ state: 'restored', finished_at: sql`coalesce(finished_at, now())`, revision: sql`revision + 1` })
    .where('id', '=', deletionId)
    .execute();
  try {
    await effect.kysely
      .updateTable('organization')
      .set({ deletion_id: null, slug: wanted })
      .where('id', '=', organizationId)
      .where('deletion_id', '=', deletionId)
      .execute();
  } catch (error) {
    if (uniqueViolation(error) === 'organization_slug_unique') throw slugTaken(wanted);
    throw error;
  }
  record(effect, 'organization.restored', { organizationId, name, slug: wanted, deletionId });
  tell(effect, row, 'restored');
  return { organizationId, name, slug: wanted };
}

/**
 * The owner does not want to wait. A deletion that failed is tried again, as a new one; a repeated request tells the
 * actor again. Throws a Problem otherwise.
 */
export async function requestPurge(effect: Effect, deletionId: string): Promise<{ deletionId: string }> {
  const row = await lockDeletion(effect, deletionId);
  if (row.repeatable) {
    // Requested before: its actor may have missed it.
    tell(effect, row, 'purgeNow');
    return { deletionId };
  }
  if (!row.purgeable) throw decided(row.state, 'purged');
  const { organization_id: organizationId, name, slug } = row;
  if (row.state === 'failed') {
    const purgeStartedAt = row.purge_started_at;
    const again = await begin(effect, {
      organizationId,
      name,
      slug,
      hours: 0,
      purgeRequested: true,
      purgeStartedAt,
    });
    record(effect, 'organization.purge_requested', { organizationId, name, slug, deletionId: again.deletionId });
    return { deletionId: again.deletionId };
  }
  await effect.kysely
    .updateTable('deletion')
    .set({ purge_requested_at: sql`now()`, restore_until: sql`least(restore_until, now())` })
    .where('id', '=', deletionId)
    .execute();
  record(effect, 'organization.purge_requested', { organizationId, name, slug, deletionId });
  tell(effect, row, 'purgeNow');
  return { deletionId };
}

export type PurgeClaim =
  | { answer: 'claimed' }
  | { answer: 'early'; milliseconds: number }
  /** The row has a higher revision than the claim. */
  | { answer: 'ahead' }
  /** Somebody has decided otherwise: the actor obeys the row. */
  | { answer: 'refused'; state: DeletionState };

/** The actor's guarded step `retained → purging`. Claiming again what is claimed counts as claimed. */
export async function claimPurge(effect: Effect, deletionId: string, revision: number): Promise<PurgeClaim> {
  const row = await effect.kysely
    .selectFrom('deletion')
    .select(['state', 'revision', 'finished_at'])
    .select(sql<number>`extract(epoch from restore_until - now())::float8 * 1000`.as('milliseconds'))
    .where('id', '=', deletionId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new Error(`There is no deletion ${deletionId}: its row was removed.`);
  if (row.finished_at !== null) return { answer: 'refused', state: row.state };
  if (row.revision > revision) return { answer: 'ahead' };
  if (row.state === 'purging') return { answer: 'claimed' };
  if (row.milliseconds > 0) return { answer: 'early', milliseconds: Math.ceil(row.milliseconds) };
  await effect.kysely
    .updateTable('deletion')
    .set({ state: 'purging', revision, purge_started_at: sql`coalesce(purge_started_at, now())`, blocker: null })
    .where('id', '=', deletionId)
    .execute();
  return { answer: 'claimed' };
}

interface NewDeletion {
  organizationId: string;
  name: string;
  slug: string;
  hours: number;
  purgeRequested: boolean;
  purgeStartedAt?: Date | null;
}

async function begin(
  effect: Effect,
  { organizationId, name, slug, hours, purgeRequested, purgeStartedAt }: NewDeletion,
): Promise<{ deletionId: string; restoreUntil: Date }> {
  const id = uuid();
  const { author } = effect;
  const row = await effect.kysely
    .insertInto('deletion')
    .values({
      id,
      organization_id: organizationId,
      kind: 'organization',
      name,
      slug,
      requested_by_kind: author.kind,
      requested_by_id: author.id,
      requested_by_name: author.name,
      restore_until: sql`now() + make_interval(hours => ${hours})`,
      purge_requested_at: purgeRequested ? sql`now()` : null,
      purge_started_at: purgeStartedAt ?? null,
    })
    .returning('restore_until')
    .executeTakeFirstOrThrow();
  await effect.kysely
    .updateTable('organization')
    .set({ deletion_id: id })
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const restoreUntil = row.restore_until;
  effect.tell({ start: 'deletion', id, organizationId });
  return { deletionId: id, restoreUntil };
}

async function lockDeletion(effect: Effect, id: string) {
  const row = await effect.kysely
    .selectFrom('deletion')
    .select(['id', 'organization_id', 'name', 'slug', 'state', 'finished_at', 'purge_started_at'])
    .select([restorable.as('restorable'), purgeable.as('purgeable'), repeatable.as('repeatable')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new Problem('not-found', 'There is no such deleted organization.');
  // Superseded by a newer deletion of the same organization: the newer one decides.
  const current = await effect.kysely
    .selectFrom('organization')
    .select('id')
    .where('deletion_id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return current === undefined ? { ...row, restorable: false, purgeable: false, repeatable: false } : row;
}

type LockedDeletion = Awaited<ReturnType<typeof lockDeletion>>;

/** An actor that has ended hears nothing; the decision about its row is all there is. */
function tell(effect: Effect, row: LockedDeletion, message: 'restored' | 'purgeNow'): void {
  if (row.finished_at !== null) return;
  effect.tell({ to: actorId('deletion', row.id), message, organizationId: row.organization_id, body: {} });
}

function record(
  effect: Effect,
  action: AuditAction,
  about: { organizationId: string; name: string; slug: string; deletionId: string },
): void {
  const { organizationId, name, slug, deletionId } = about;
  effect.audit({
    action,
    organizationId,
    subjectKind: 'organization',
    subjectId: organizationId,
    subjectName: name,
    details: { slug, deletionId },
  });
  effect.change({ organizationId, kind: 'organization', id: organizationId });
  // Every credential of the organization is worth something else from now on.
  effect.change({ organizationId, kind: 'credential.organization', id: organizationId });
}

function deletionsOfOwner(kysely: Kysely<Tables>, userId: string) {
  return acrossTenants(kysely)
    .selectFrom('deletion')
    .innerJoin('organization', 'organization.deletion_id', 'deletion.id')
    .innerJoin('membership', 'membership.organization_id', 'organization.id')
    .selectAll('deletion')
    .select('organization.require_mfa')
    .select([restorable.as('restorable'), purgeable.as('purgeable')])
    .where('membership.user_id', '=', userId)
    .where('membership.role', '=', 'owner');
}

function view(row: Awaited<ReturnType<ReturnType<typeof deletionsOfOwner>['execute']>>[number]): DeletionView {
  return {
    id: row.id,
    kind: row.kind,
    organizationId: row.organization_id,
    name: row.name,
    slug: row.slug,
    requireMfa: row.require_mfa,
    state: row.state,
    message: row.message,
    blocker: row.blocker,
    createdAt: row.created_at,
    restoreUntil: row.restore_until,
    restorable: row.restorable,
    purgeable: row.purgeable,
    requestedBy: { kind: row.requested_by_kind, id: row.requested_by_id, name: row.requested_by_name },
  };
}
