import type { Kysely } from 'kysely';
import { z } from 'zod';
import { type DeletedThing, findDeletedThing } from '../../db/deletions/things/deleted-things.ts';
import { authorKinds } from '../../db/engine/author.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { shownKind, shownKinds } from '../../domain/deletions/kinds.ts';
import { Problem } from '../../domain/problems.ts';
import { deletionStates } from '../../workflows/deletion/descriptor.ts';
import type { OrganizationCaller } from '../engine/caller.ts';

export const deletedItemSchema = z
  .object({
    id: z.guid().describe('The id that it had when it was deleted.'),
    kind: z.enum(shownKinds),
    name: z.string(),
    slug: z.string().describe('Empty if it has none, as a volume.'),
    projectId: z.guid(),
    context: z.string().describe('Where it was: the name of its project or service.'),
    detail: z.string().describe('What was in it, and what stands in the way of its restoration or purge.'),
    deletedAt: z.iso.datetime(),
    deletedBy: z.object({ id: z.string(), name: z.string(), type: z.enum(authorKinds) }),
    restorable: z.boolean(),
    restoreUntil: z.iso.datetime().describe('When it is purged.'),
    deletionId: z.guid().describe('Its workflow.'),
    state: z.enum(deletionStates),
    purgeable: z.boolean(),
  })
  .meta({ id: 'DeletedItem' });

export const deletedItemPath = z.strictObject({
  kind: z.enum(shownKinds),
  id: z.guid().toLowerCase().describe('The id that it had when it was deleted.'),
});

export function deletedItemAnswer(thing: DeletedThing): z.output<typeof deletedItemSchema> {
  const { deletionId, id, kind, name, slug, projectId, context, state, restorable, purgeable, deletedBy } = thing;
  return {
    ...{ id, kind: shownKind(kind), name, slug, projectId, context, detail: detailOf(thing), deletionId, state },
    deletedAt: thing.createdAt.toISOString(),
    deletedBy: { id: deletedBy.id, name: deletedBy.name, type: deletedBy.kind },
    ...{ restorable, purgeable },
    restoreUntil: thing.restoreUntil.toISOString(),
  };
}

function detailOf({ detail, parent, message, blocker }: DeletedThing): string {
  const above = parent === null ? '' : `Restore the ${parent.kind} "${parent.name}" first`;
  const parts = [detail, above, blocker ?? message ?? ''];
  return parts.flatMap((part) => (part === '' ? [] : [part.replace(/\.$/, '')])).join('. ');
}

/** A deleted part of the caller's organization, of a project that it may see. */
export async function deletedThingOf(
  caller: OrganizationCaller,
  { kind, id }: z.output<typeof deletedItemPath>,
  kysely: Kysely<Tables>,
): Promise<DeletedThing> {
  const found = await findDeletedThing(kysely, caller.organization.id, kind, id);
  if (found !== undefined && caller.seesProject(found.projectId)) return found;
  throw new Problem('not-found', `There is no such deleted ${kind}.`);
}
