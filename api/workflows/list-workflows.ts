import { z } from 'zod';
import type { ActorPosition } from '../../db/workflows/actor-filter.ts';
import { listActors } from '../../db/workflows/actors.ts';
import { actorKinds, descriptors } from '../../workflows/descriptors.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { presentWorkflow } from './present-workflow.ts';
import { readableKinds } from './readable-kinds.ts';
import { workflowSchema } from './workflow.ts';

const position = z.strictObject({ createdAt: z.iso.datetime(), id: z.guid() });
const time = z.iso.datetime({ offset: true });

export const listWorkflows = operation({
  method: 'GET',
  url: '/api/v1/workflows',
  summary: 'List workflows, newest first',
  description:
    'Work that takes longer than a request is a workflow. Only kinds that the caller may read are listed: those about a cluster by viewers, deletions by administrators.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  query: z.strictObject({
    q: soughtText('its title or id'),
    kind: z.enum(actorKinds).optional(),
    lives: z
      .enum(['once', 'for-ever'])
      .optional()
      .describe('`once`: those that run to their end; `for-ever`: those that live as long as their subject.'),
    state: z.enum(['open', 'over']).optional().describe('`open`: running; `over`: finished.'),
    outcome: z.enum(['succeeded', 'failed', 'cancelled']).optional().describe('Only finished ones that ended so.'),
    stuck: z.boolean().optional().describe('`true`: only stuck ones.'),
    subjectId: z.guid().toLowerCase().optional().describe('Only those about this cluster or organization.'),
    requestedBy: z.string().min(1).max(200).optional().describe('The id of the person or token that started it.'),
    from: time.optional().describe('Only those still running at this time, or later.'),
    until: time.optional().describe('Only those that started before this time.'),
  }),
  paged: { after: position },
  result: workflowSchema,
  async handle({ caller, query, database, page }) {
    const { q, kind, lives, state, outcome, stuck, subjectId, requestedBy, from, until } = query;
    const kinds = readableKinds(caller).filter(
      (one) => (kind ?? one) === one && (lives ?? descriptors[one].lives) === descriptors[one].lives,
    );
    const rows = await listActors(database.kysely, caller.organization.id, {
      kinds,
      q,
      open: state === undefined ? undefined : state === 'open',
      ends: outcome,
      stuck: stuck === true,
      subjectId,
      requestedBy,
      from: from === undefined ? undefined : new Date(from),
      until: until === undefined ? undefined : new Date(until),
      limit: page.limit + 1,
      after: page.after && { ...page.after, createdAt: new Date(page.after.createdAt) },
    });
    const shown = rows.slice(0, page.limit);
    const last = rows.length > page.limit ? shown.at(-1) : undefined;
    return { items: shown.map(presentWorkflow), after: last && positionOf(last) };
  },
});

function positionOf({ createdAt, id }: ActorPosition): z.output<typeof position> {
  return { createdAt: createdAt.toISOString(), id };
}
