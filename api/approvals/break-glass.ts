import { z } from 'zod';
import { decideApproval as decide } from '../../db/approvals/decide.ts';
import { isExchanged } from '../../db/approvals/deciders.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { Problem } from '../../domain/problems.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import { approvalAnswer, approvalPath, approvalSchema, theApproval } from './approval.ts';

export const breakGlass = operation({
  method: 'POST',
  url: '/api/v1/approvals/{id}/break-glass',
  summary: 'Approve a change in place of somebody else',
  description:
    'For an owner, with a session, in an emergency; of tokens only one that was created on the machine of the installation. It takes the place of the decision of another person and of nothing else: a stale approval is refused as ever. The audit log has it as an action of its own, and all admins and owners are told.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'already-decided', 'approval-stale', 'role-too-low', 'session-required', 'conflict'],
  path: approvalPath,
  body: z.strictObject({
    reason: z.string().trim().min(1).max(2000).describe('Why nobody else could decide. It is shown with the change.'),
  }),
  result: approvalSchema,
  async handle({ caller, path, body, effect, server }) {
    const approval = await caller.see(theApproval, path.id, effect.kysely);
    await refuseOthers(effect, caller);
    const by = { ...caller.countsAs, brokenGlass: true, reason: body.reason };
    await decide(effect, server.keyring, approval, { decision: 'approved', by });
    return approvalAnswer(await caller.see(theApproval, path.id, effect.kysely));
  },
});

/** An owner in person, or who holds the machine. */
async function refuseOthers({ kysely }: Effect, caller: OrganizationCaller): Promise<void> {
  const { credential, role, organization, answerableId } = caller;
  if (credential.kind === 'session') {
    if (role !== 'owner') throw new Problem('role-too-low', 'Only an owner of the organization may break the glass.');
  } else if (answerableId !== undefined || (await isExchanged(kysely, organization.id, credential.id))) {
    throw new Problem(
      'session-required',
      'Breaking the glass takes the session of an owner, or a token that `ballast token create` made on the machine.',
    );
  }
}
