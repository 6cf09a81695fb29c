import { operation } from '../engine/operation.ts';
import { historyPage, historyPosition, historyQuery } from '../workflows/history-page.ts';
import { historyStepSchema } from '../workflows/workflow.ts';
import { deletionOf, deletionPath } from './deleted-organization.ts';

export const listDeletionHistory = operation({
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
