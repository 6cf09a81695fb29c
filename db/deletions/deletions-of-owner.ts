import type { Kysely } from 'kysely';
import type { DeletionState } from '../../workflows/deletion/descriptor.ts';
import type { Author } from '../engine/effect.ts';
import { downSentence } from '../engine/processes/processes.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { acrossTenants } from '../postgres/tenant.ts';
import { purgeable, restorable } from './deletions.ts';

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

/** Deleted organizations that the user owns, newest first; purged and restored ones are left out. */
export async function listDeletions(kysely: Kysely<Tables>, userId: string, page: Page): Promise<DeletionView[]> {
  const query = deletionsOfOwner(kysely, userId).$call(pageOf('deletion', 'newest', page));
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

function deletionsOfOwner(kysely: Kysely<Tables>, userId: string) {
  return acrossTenants(kysely)
    .selectFrom('deletion')
    .innerJoin('organization', 'organization.deletion_id', 'deletion.id')
    .innerJoin('membership', 'membership.organization_id', 'organization.id')
    .selectAll('deletion')
    .select('organization.require_mfa')
    .select([restorable.as('restorable'), purgeable.as('purgeable'), downSentence.as('down')])
    .where('membership.user_id', '=', userId)
    .where('membership.role', '=', 'owner');
}

function view(row: Awaited<ReturnType<ReturnType<typeof deletionsOfOwner>['execute']>>[number]): DeletionView {
  return {
    id: row.id,
    kind: 'organization',
    organizationId: row.organization_id,
    name: row.name,
    slug: row.slug,
    requireMfa: row.require_mfa,
    state: row.state,
    message: row.message,
    blocker: (row.state === 'purging' ? row.down : null) ?? row.blocker,
    createdAt: row.created_at,
    restoreUntil: row.restore_until,
    restorable: row.restorable,
    purgeable: row.purgeable,
    requestedBy: { kind: row.requested_by_kind, id: row.requested_by_id, name: row.requested_by_name },
  };
}
