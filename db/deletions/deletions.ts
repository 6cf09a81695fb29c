import { sql } from 'kysely';
import { actorId } from '../../domain/actors/actors.ts';
import type { AuditAction } from '../../domain/audit-actions.ts';
import { Problem } from '../../domain/problems.ts';
import type { DeletionState } from '../../workflows/deletion/descriptor.ts';
import type { Effect } from '../engine/effect.ts';
import { slugTaken } from '../organizations/organizations.ts';
import { uniqueViolation } from '../postgres/connection-failure.ts';
import { type Begun, beginDeletion } from './begin.ts';

/** A decision that the row contradicts: what stands in its way. */
export function decided(state: DeletionState, verb: 'restored' | 'purged', noun = 'organization'): Problem {
  const why = {
    retained:
      verb === 'restored' ? 'its retention has ended or its purge was requested' : 'its purge was already requested',
    purging: 'it is being purged',
    purged: 'it was purged',
    restored: 'it was already restored',
    failed: 'its purge failed after it had started',
  }[state];
  return new Problem('already-decided', `The ${noun} can no longer be ${verb}: ${why}.`);
}

/** Whether it may be restored. */
export const restorable = sql<boolean>`deletion.purge_started_at is null and (
  (deletion.state = 'retained' and deletion.purge_requested_at is null and deletion.restore_until > now())
  or deletion.state = 'failed')`;
/** Whether its purge may be requested. */
export const purgeable = sql<boolean>`deletion.state = 'failed'
  or (deletion.state = 'retained' and deletion.purge_requested_at is null)`;
/** Whether its purge was requested and has not begun: requesting it again changes nothing and tells its actor again. */
export const repeatable = sql<boolean>`deletion.state = 'retained' and deletion.purge_requested_at is not null`;

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
  record(effect, 'organization.deleted', { organizationId, name, slug, ...deletion, started: true });
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
    record(effect, 'organization.purge_requested', { organizationId, name, slug, ...again, started: true });
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

interface Deleted {
  organizationId: string;
  name: string;
  slug: string;
  hours: number;
  purgeRequested: boolean;
  purgeStartedAt?: Date | null;
}

async function begin(effect: Effect, deleted: Deleted): Promise<Begun> {
  const { organizationId } = deleted;
  const subject = {
    kind: 'organization' as const,
    subjectId: organizationId,
    projectId: null,
    context: '',
    detail: '',
  };
  const begun = await beginDeletion(effect, { ...deleted, ...subject });
  await effect.kysely
    .updateTable('organization')
    .set({ deletion_id: begun.deletionId })
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return begun;
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
  about: { organizationId: string; name: string; slug: string; deletionId: string; started?: boolean },
): void {
  const { organizationId, name, slug, deletionId, started = false } = about;
  const workflowId = started ? deletionId : undefined;
  effect.audit(action, { organizationId, id: organizationId, name, workflowId }, { slug, deletionId });
  effect.change({ organizationId, kind: 'organization', id: organizationId });
  // Every credential of the organization is worth something else from now on.
  effect.change({ organizationId, kind: 'credential.organization', id: organizationId });
}
