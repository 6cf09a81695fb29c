import { listDeletedThings } from '../../db/deletions/things/deleted-things.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { deletedItemAnswer, deletedItemSchema } from './deleted-item.ts';

export const listDeleted = operation({
  method: 'GET',
  url: '/api/v1/deleted',
  summary: 'List deleted services, databases, volumes, environments and projects, newest first',
  description:
    'Those that were restored or purged are not listed, and none that went with another one: they come back with that.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  paged: { after: createdPosition },
  result: deletedItemSchema,
  async handle({ caller, database, page }) {
    const rows = await listDeletedThings(database.kysely, caller.organization.id, {
      ...oneMore(page),
      within: caller.projectIds,
    });
    return pageOf(rows, page, ({ deletionId }) => deletionId, deletedItemAnswer);
  },
});
