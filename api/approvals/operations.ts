import { z } from 'zod';
import { type ApprovalView, listApprovals as list, namedDeciders } from '../../db/approvals/approvals.ts';
import { commitsOf } from '../../db/approvals/commits.ts';
import { decideApproval as decide, isStale } from '../../db/approvals/decide.ts';
import { blastRadius, checksOf } from '../../db/approvals/detail.ts';
import { refreshApproval as refresh } from '../../db/approvals/refresh.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { approvalChoices } from '../../domain/approvals/approvals.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import {
  approvalAnswer,
  approvalSchema,
  decidingAs,
  isJob,
  refusalWords,
  theApproval,
  wordAnswer,
} from './approval.ts';

const breakGlass = operation({
  method: 'POST',
  url: '/api/v1/approvals/{id}/break-glass',
  summary: 'Approve a change in place of somebody else',
  description:
    'For an owner, with a session, in an emergency; of tokens only one that was created on the machine of the installation. It takes the place of the decision of another person and of nothing else: a stale approval is refused as ever. The audit log has it as an action of its own, and all admins and owners are told.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['already-decided', 'approval-stale', 'role-too-low', 'session-required', 'conflict'],
  of: theApproval,
  body: z.strictObject({
    reason: z.string().trim().min(1).max(2000).describe('Why nobody else could decide. It is shown with the change.'),
  }),
  result: approvalSchema,
  async handle({ found: approval, caller, path, body, effect, server }) {
    await refuseOthers(effect, caller);
    const by = { ...caller.countsAs, brokenGlass: true, reason: body.reason };
    await decide(effect, server.keyring, approval, { decision: 'approved', by });
    return approvalAnswer(await caller.see(theApproval, path.id, effect.kysely));
  },
});

/** An owner in person, or who holds the machine. */
async function refuseOthers({ kysely }: Effect, caller: OrganizationCaller): Promise<void> {
  const { credential, role, answerableId } = caller;
  if (credential.kind === 'session') {
    if (role !== 'owner') throw new Problem('role-too-low', 'Only an owner of the organization may break the glass.');
  } else if (answerableId !== undefined || (await isJob(kysely, caller))) {
    throw new Problem(
      'session-required',
      'Breaking the glass takes the session of an owner, or a token that `ballast token create` made on the machine.',
    );
  }
}

const decideApproval = operation({
  method: 'POST',
  url: '/api/v1/approvals/{id}/decide',
  summary: 'Approve or reject a change',
  description:
    'Not by the person who requested it, and by no account that staged a part of it. Where that leaves nobody, any admin but the requester decides, and a sole admin on their own: `selfApproved` says so. A token counts as the person who created it; tokens of CI jobs never decide, and what these request or stage counts as the change of those who created or changed their trusted issuer. Rejected changes return to the draft.',
  role: 'admin',
  projectTokens: 'allowed',
  problems: ['already-decided', 'approval-stale', 'role-too-low', 'conflict'],
  of: theApproval,
  body: z.strictObject({ decision: z.enum(approvalChoices), reason: z.string().trim().max(2000).optional() }),
  result: approvalSchema,
  async handle({ found: approval, caller, path, body, effect, server }) {
    const selfApproved = await refuseUnfit(effect, caller, approval);
    const { decision, reason } = body;
    await decide(effect, server.keyring, approval, { decision, by: { ...caller.countsAs, selfApproved, reason } });
    return approvalAnswer(await caller.see(theApproval, path.id, effect.kysely));
  },
});

/** Refuses those who may not decide this one; answers whether it is a change of their own, which nobody else could decide. */
async function refuseUnfit({ kysely }: Effect, caller: OrganizationCaller, approval: ApprovalView): Promise<boolean> {
  const word = (await decidingAs(kysely, caller))(approval);
  if (word.may) return word.selfApproved;
  // The operation has refused lower roles before.
  throw new Problem('role-too-low', refusalWords[word.because === 'role' ? 'job' : word.because]);
}

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

const getApproval = operation({
  method: 'GET',
  url: '/api/v1/approvals/{id}',
  summary: 'Get an approval with what it changes and what it touches',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theApproval,
  result: detailSchema,
  async handle({ found: seen, caller, path, database }) {
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

const listApprovals = operation({
  method: 'GET',
  url: '/api/v1/approvals',
  summary: 'List approvals',
  role: 'viewer',
  projectTokens: 'allowed',
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
    return pageOf(found, page, answer);
  },
});

const refreshApproval = operation({
  method: 'POST',
  url: '/api/v1/approvals/{id}/refresh',
  summary: 'Compose what an approval holds against the environment as it is now',
  description:
    'For an approval that is stale. The answer is a new approval of the same requester, with the difference of today; the old one is superseded. Images stay those that were resolved when the change was requested.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: [
    'already-decided',
    'conflict',
    'change-set-changed',
    'release-retired',
    'image-unfit',
    'capability-missing',
  ],
  of: theApproval,
  status: 201,
  result: approvalSchema,
  async handle({ found: approval, caller, effect, server }) {
    const id = await refresh(effect, server.keyring, approval);
    return approvalAnswer(await caller.see(theApproval, id, effect.kysely));
  },
});

export const approvals = {
  list: listApprovals,
  get: getApproval,
  decide: decideApproval,
  breakGlass,
  refresh: refreshApproval,
};
