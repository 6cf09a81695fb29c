import type { Kysely } from 'kysely';
import { z } from 'zod';
import { type DeletionView, findDeletion } from '../../db/deletions/deletions-of-owner.ts';
import { authorKinds } from '../../db/engine/author.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { type ActorView, findActorOfPerson } from '../../db/workflows/actors.ts';
import { Problem } from '../../domain/problems.ts';
import { deletionStates } from '../../workflows/deletion/descriptor.ts';
import type { Caller } from '../engine/caller.ts';

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

/** An organization that was deleted and whose owner the caller is. */
export async function deletedOrganizationOf(caller: Caller, id: string, kysely: Kysely<Tables>): Promise<DeletionView> {
  const found = caller.userId === undefined ? undefined : await findDeletion(kysely, caller.userId, id);
  if (found !== undefined) return withSecondFactor(caller, found);
  throw new Problem('not-found', 'There is no such deleted organization, or you are not its owner.');
}

/** The workflow of a deletion, open or not, of an organization that the caller owned or has deleted. */
export async function deletionOf(caller: Caller, id: string, kysely: Kysely<Tables>): Promise<ActorView> {
  const found = caller.userId === undefined ? undefined : await findActorOfPerson(kysely, caller.userId, id);
  if (found !== undefined) return withSecondFactor(caller, found);
  throw new Problem('not-found', 'There is no such deletion, or you neither requested it nor own its organization.');
}

function withSecondFactor<T extends { requireMfa: boolean; name: string }>(caller: Caller, found: T): T {
  if (!found.requireMfa || caller.mfa) return found;
  throw new Problem('mfa-required', `The organization ${found.name} requires a sign-in with a second factor.`);
}
