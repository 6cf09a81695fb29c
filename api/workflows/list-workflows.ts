import { z } from 'zod';
import { type ActorPosition, listActors } from '../../db/workflows/actors.ts';
import { actorKinds } from '../../workflows/descriptors.ts';
import { operation } from '../engine/operation.ts';
import { presentWorkflow } from './present-workflow.ts';
import { workflowSchema } from './workflow.ts';

const position = z.strictObject({
  rank: z.int().min(0).max(2),
  createdAt: z.iso.datetime(),
  id: z.guid(),
});

export const listWorkflows = operation({
  method: 'GET',
  url: '/api/v1/workflows',
  summary: 'List workflows: stuck first, then running, then finished',
  description:
    'Work that takes longer than a request is a workflow. Within each group the newest is first. A workflow that changes its group while you page may appear twice or not at all; list again to be sure.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: [],
  query: z.strictObject({
    kind: z.enum(actorKinds).optional(),
    state: z.enum(['open', 'over']).optional().describe('`open`: running; `over`: finished.'),
    stuck: z.boolean().optional().describe('`true`: only stuck ones.'),
  }),
  paged: { after: position },
  result: workflowSchema,
  async handle({ caller, query, database, page }) {
    const rows = await listActors(database.kysely, caller.organization.id, {
      kind: query.kind,
      open: query.state === undefined ? undefined : query.state === 'open',
      stuck: query.stuck === true,
      limit: page.limit + 1,
      after: page.after && { ...page.after, createdAt: new Date(page.after.createdAt) },
    });
    const shown = rows.slice(0, page.limit);
    const last = rows.length > page.limit ? shown.at(-1) : undefined;
    return { items: shown.map(presentWorkflow), after: last && positionOf(last) };
  },
});

function positionOf({ rank, createdAt, id }: ActorPosition): z.output<typeof position> {
  return { rank, createdAt: createdAt.toISOString(), id };
}
