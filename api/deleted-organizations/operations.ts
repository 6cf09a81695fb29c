import type { Kysely } from 'kysely';
import { z } from 'zod';
import { requestPurge, restoreOrganization as restore } from '../../db/deletions/deletions.ts';
import { type DeletionView, findDeletion, listDeletions } from '../../db/deletions/deletions-of-owner.ts';
import { authorKinds } from '../../db/engine/author.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { type ActorView, findActorOfPerson } from '../../db/workflows/actors.ts';
import { Problem } from '../../domain/problems.ts';
import { deletionStates } from '../../workflows/deletion/descriptor.ts';
import type { AnswerOf } from '../engine/answers.ts';
import type { Caller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { confirmedSlug, organizationSlug, refuseWrongSlug } from '../organizations/organization.ts';
import { historyPage, historyPosition, historyQuery } from '../workflows/history-page.ts';
import { historyStepSchema } from '../workflows/workflow.ts';

const deletedOrganizationSchema = z
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

const deletionPath = z.strictObject({ id: z.guid().describe('The id of the deletion.') });

function deletedOrganizationAnswer(deletion: DeletionView): AnswerOf<typeof deletedOrganizationSchema> {
  return { ...deletion, deletedAt: deletion.createdAt, deletedBy: deletion.requestedBy };
}

/** An organization that was deleted and whose owner the caller is. */
async function deletedOrganizationOf(caller: Caller, id: string, kysely: Kysely<Tables>): Promise<DeletionView> {
  const found = caller.userId === undefined ? undefined : await findDeletion(kysely, caller.userId, id);
  if (found !== undefined) return withSecondFactor(caller, found);
  throw new Problem('not-found', 'There is no such deleted organization, or you are not its owner.');
}

/** The workflow of a deletion, open or not, of an organization that the caller owned or has deleted. */
async function deletionOf(caller: Caller, id: string, kysely: Kysely<Tables>): Promise<ActorView> {
  const found = caller.userId === undefined ? undefined : await findActorOfPerson(kysely, caller.userId, id);
  if (found !== undefined) return withSecondFactor(caller, found);
  throw new Problem('not-found', 'There is no such deletion, or you neither requested it nor own its organization.');
}

function withSecondFactor<T extends { requireMfa: boolean; name: string }>(caller: Caller, found: T): T {
  if (!found.requireMfa || caller.mfa) return found;
  throw new Problem('mfa-required', `The organization ${found.name} requires a sign-in with a second factor.`);
}

const listDeletedOrganizations = operation({
  method: 'GET',
  url: '/api/v1/deleted-organizations',
  summary: 'List deleted organizations that the caller owns, newest first',
  description: 'Purged and restored ones are not listed.',
  scope: 'user',
  credentials: 'session',
  paged: { after: createdPosition },
  result: deletedOrganizationSchema,
  async handle({ caller, database, page }) {
    if (caller.userId === undefined) return { items: [], after: undefined };
    const deletions = await listDeletions(database.kysely, caller.userId, oneMore(page));
    return pageOf(deletions, page, deletedOrganizationAnswer);
  },
});

const listDeletionHistory = operation({
  method: 'GET',
  url: '/api/v1/deleted-organizations/{id}/history',
  summary: 'List the steps of a deletion',
  description: 'For an owner of the deleted organization and the person who deleted it, after the purge too.',
  scope: 'user',
  credentials: 'session',
  problems: ['not-found', 'mfa-required', 'unavailable'],
  path: deletionPath,
  query: historyQuery,
  paged: { after: historyPosition },
  result: historyStepSchema,
  async handle({ caller, path, query, page, server, signal }) {
    return await historyPage(await deletionOf(caller, path.id, server.database.kysely), {
      query,
      page,
      server,
      signal,
    });
  },
});

const purgeOrganization = operation({
  method: 'POST',
  url: '/api/v1/deleted-organizations/{id}/purge',
  summary: 'Purge a deleted organization now',
  description: 'Nothing can be restored afterwards. A failed purge is retried.',
  scope: 'user',
  credentials: 'session',
  rate: 'deletions',
  problems: ['not-found', 'mfa-required', 'already-decided'],
  path: deletionPath,
  body: z.strictObject({ confirmSlug: confirmedSlug }),
  async handle({ caller, path, body, effect }) {
    const deletion = await deletedOrganizationOf(caller, path.id, effect.kysely);
    refuseWrongSlug(body.confirmSlug, deletion.slug);
    await requestPurge(effect, deletion.id);
  },
});

const restoreOrganization = operation({
  method: 'POST',
  url: '/api/v1/deleted-organizations/{id}/restore',
  summary: 'Restore a deleted organization',
  description:
    'Everything in it is restored too. If another organization has taken its slug meanwhile, the answer is 409: give another one.',
  scope: 'user',
  credentials: 'session',
  rate: 'deletions',
  problems: ['not-found', 'mfa-required', 'already-decided', 'slug-taken'],
  path: deletionPath,
  body: z.strictObject({ slug: organizationSlug.optional() }).optional(),
  result: z
    .object({ id: z.guid().describe('The id of the organization.'), name: z.string(), slug: z.string() })
    .meta({ id: 'RestoredOrganization' }),
  async handle({ caller, path, body, effect }) {
    const deletion = await deletedOrganizationOf(caller, path.id, effect.kysely);
    const { organizationId, name, slug } = await restore(effect, deletion.id, body?.slug);
    return { id: organizationId, name, slug };
  },
});

export const deletedOrganizations = {
  list: listDeletedOrganizations,
  history: listDeletionHistory,
  restore: restoreOrganization,
  purge: purgeOrganization,
};
