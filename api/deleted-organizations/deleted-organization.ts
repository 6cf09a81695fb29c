import { z } from 'zod';
import type { DeletionView } from '../../db/deletions/deletions.ts';
import { authorKinds } from '../../db/engine/audit-record.ts';
import { deletionStates } from '../../domain/deletions/deletions.ts';

export const deletedOrganizationSchema = z
  .object({
    id: z.guid().describe('The id of the deletion.'),
    organizationId: z.guid(),
    name: z.string(),
    slug: z.string().describe('The slug it had; another organization may have it by now.'),
    state: z.enum(deletionStates),
    message: z.string().optional().describe('Why it failed.'),
    blocker: z.string().optional().describe('Why it does not move.'),
    deletedAt: z.iso.datetime(),
    deletedBy: z.object({ kind: z.enum(authorKinds), id: z.string(), name: z.string() }),
    restoreUntil: z.iso.datetime().describe('When it is purged.'),
    restorable: z.boolean(),
    purgeable: z.boolean(),
  })
  .meta({ id: 'DeletedOrganization' });

export const deletionPath = z.strictObject({ id: z.guid().describe('The id of the deletion.') });

export function deletedOrganizationAnswer(deletion: DeletionView): z.output<typeof deletedOrganizationSchema> {
  const { id, organizationId, name, slug, state, message, blocker, restorable, purgeable } = deletion;
  return {
    id,
    organizationId,
    name,
    slug,
    state,
    ...(message === null ? {} : { message }),
    ...(blocker === null ? {} : { blocker }),
    deletedAt: deletion.createdAt.toISOString(),
    deletedBy: deletion.requestedBy,
    restoreUntil: deletion.restoreUntil.toISOString(),
    restorable,
    purgeable,
  };
}
