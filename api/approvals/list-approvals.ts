import { z } from 'zod';
import { type ApprovalView, listApprovals as list } from '../../db/approvals/approvals.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { approvalAnswer, approvalSchema } from './approval.ts';
import { decidingAs, wordAnswer } from './who-decides.ts';

export const listApprovals = operation({
  method: 'GET',
  url: '/api/v1/approvals',
  summary: 'List approvals',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  query: z.strictObject({
    state: z.enum(['pending', 'decided']).default('pending'),
    environmentId: z.guid().toLowerCase().optional(),
    projectId: z.guid().toLowerCase().optional(),
    order: z.enum(['newest', 'oldest']).default('newest').describe('By when they were requested.'),
  }),
  paged: { after: createdPosition },
  result: approvalSchema,
  async handle({ caller, query, page, database }) {
    const { state, environmentId, projectId, order } = query;
    const filter = { state, environmentId, projectId, projectIds: caller.projectIds, order };
    const found = await list(database.kysely, caller.organization.id, filter, oneMore(page));
    const wordOn = await decidingAs(database.kysely, caller);
    const answer = (one: ApprovalView) => ({ ...approvalAnswer(one), ...wordAnswer(wordOn(one), one) });
    return pageOf(found, page, ({ id }) => id, answer);
  },
});
