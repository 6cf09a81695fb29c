import { listDeletions } from '../../db/deletions/deletions-of-owner.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { deletedOrganizationAnswer, deletedOrganizationSchema } from './deleted-organization.ts';

export const listDeletedOrganizations = operation({
  method: 'GET',
  url: '/api/v1/deleted-organizations',
  summary: 'List deleted organizations that the caller owns, newest first',
  description: 'Purged and restored ones are not listed.',
  scope: 'user',
  credentials: 'session',
  problems: [],
  paged: { after: createdPosition },
  result: deletedOrganizationSchema,
  async handle({ caller, database, page }) {
    if (caller.userId === undefined) return { items: [], after: undefined };
    const deletions = await listDeletions(database.kysely, caller.userId, oneMore(page));
    return pageOf(deletions, page, ({ id }) => id, deletedOrganizationAnswer);
  },
});
