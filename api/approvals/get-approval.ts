import { z } from 'zod';
import { commitsOf } from '../../db/approvals/commits.ts';
import { isStale } from '../../db/approvals/decide.ts';
import { namedDeciders } from '../../db/approvals/deciders.ts';
import { blastRadius, checksOf } from '../../db/approvals/detail.ts';
import { operation } from '../engine/operation.ts';
import { approvalAnswer, approvalPath, approvalSchema, theApproval } from './approval.ts';
import { decidingAs, wordAnswer } from './who-decides.ts';

export const detailSchema = approvalSchema
  .extend({
    stale: z
      .boolean()
      .describe('Pending, and the environment has changed since: it cannot be approved before it is refreshed.'),
    deciders: z
      .array(z.object({ id: z.guid(), name: z.string() }))
      .describe('The people who may decide it, while it is pending.'),
    blastRadius: z
      .array(z.object({ id: z.guid(), name: z.string(), slug: z.string() }))
      .describe('Services that depend on those which change.'),
    checks: z.array(
      z.object({
        id: z.enum(['build', 'image', 'digest', 'variables', 'capacity', 'freeze']),
        status: z.enum(['passed', 'failed', 'running', 'skipped']),
        detail: z.string(),
        durationSeconds: z.number().optional(),
      }),
    ),
    commits: z
      .array(
        z.object({
          sha: z.string(),
          message: z.string(),
          author: z.string(),
          url: z.string(),
          at: z.iso.datetime(),
        }),
      )
      .describe('Of the releases since the one that is live, newest first, as far as they name a commit.'),
    withoutCommits: z
      .array(
        z.object({
          id: z.guid(),
          name: z.string(),
          built: z.boolean().describe('It was built here, of a folder that was uploaded; otherwise elsewhere.'),
        }),
      )
      .describe('Services whose release names no commit.'),
  })
  .meta({ id: 'ApprovalDetail' });

export const getApproval = operation({
  method: 'GET',
  url: '/api/v1/approvals/{id}',
  summary: 'Get an approval with what it changes and what it touches',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: approvalPath,
  result: detailSchema,
  async handle({ caller, path, database }) {
    const seen = await caller.see(theApproval, path.id);
    const changed = seen.decision === null && (await isStale(database, seen));
    // A decision changes the environment, too: where one was made since, that is what has happened.
    const approval = changed ? await caller.see(theApproval, path.id) : seen;
    return {
      ...approvalAnswer(approval),
      ...wordAnswer((await decidingAs(database.kysely, caller))(approval), approval),
      deciders: await namedDeciders(database.kysely, approval),
      stale: changed && approval.decision === null,
      blastRadius: await blastRadius(database.kysely, approval),
      checks: await checksOf(database.kysely, approval),
      ...(await commitsOf(database.kysely, approval)),
    };
  },
});
