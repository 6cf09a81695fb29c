import { operation } from '../engine/operation.ts';
import { historyPage, historyPosition, historyQuery } from './history-page.ts';
import { actorOf, historyStepSchema, workflowPath } from './workflow.ts';

export const listHistory = operation({
  method: 'GET',
  url: '/api/v1/workflows/{id}/history',
  summary: 'List the steps of a workflow',
  description:
    'A step joins the events that belong together. Read from Temporal while the workflow runs, and from the archive where it, or a run of it, has ended.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found', 'unavailable'],
  path: workflowPath,
  query: historyQuery,
  paged: { after: historyPosition },
  result: historyStepSchema,
  async handle({ caller, path, query, page, server, signal }) {
    return await historyPage(await actorOf(caller, path.id), { query, page, server, signal });
  },
});
