import { type Kysely, sql } from 'kysely';
import type { ChangeAuthor } from '../../domain/approvals/who-decides.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { recordedAuthors } from './authors.ts';

export type ApprovalView = NonNullable<Awaited<ReturnType<typeof findApproval>>>;

export async function findApproval(kysely: Kysely<Tables>, organizationId: string, id: string) {
  return await approvals(kysely, organizationId).where('approval.id', '=', id).executeTakeFirst();
}

export interface ApprovalFilter {
  state: 'pending' | 'decided';
  environmentId?: string | undefined;
  projectId?: string | undefined;
  /** Of these projects alone. */
  projectIds?: readonly string[] | undefined;
  order?: 'newest' | 'oldest' | undefined;
}

/** By when they were requested, newest first unless `order` says otherwise. */
export async function listApprovals(
  kysely: Kysely<Tables>,
  organizationId: string,
  { state, environmentId, projectId, projectIds, order = 'newest' }: ApprovalFilter,
  page: Page,
): Promise<ApprovalView[]> {
  let query = approvals(kysely, organizationId)
    .where('approval.decision', state === 'pending' ? 'is' : 'is not', null)
    .$call(pageOf('approval', order, page));
  if (environmentId !== undefined) query = query.where('approval.environment_id', '=', environmentId);
  if (projectId !== undefined) query = query.where('approval.project_id', '=', projectId);
  if (projectIds !== undefined) {
    if (projectIds.length === 0) return [];
    query = query.where('approval.project_id', 'in', projectIds);
  }
  return await query.execute();
}

function approvals(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('approval')
    .innerJoin('environment', 'environment.id', 'approval.environment_id')
    .innerJoin('project', 'project.id', 'approval.project_id')
    .select([
      'approval.id',
      'approval.organization_id as organizationId',
      'approval.project_id as projectId',
      'project.name as projectName',
      'approval.environment_id as environmentId',
      'environment.name as environmentName',
      'approval.change_set_id as changeSetId',
      'approval.deployment_id as deploymentId',
      'approval.kind',
      'approval.decision',
      'approval.decided_by_id as decidedById',
      'approval.decided_by_name as decidedBy',
      'approval.self_approved as selfApproved',
      'approval.broken_glass as brokenGlass',
      'approval.decision_reason as decisionReason',
      'approval.requested_by_id as requestedById',
      'approval.requested_by_name as requestedBy',
      'approval.answerable_id as answerableId',
      'approval.reason',
      'approval.basis',
      'approval.diff',
      'approval.impact',
      'approval.target',
      'approval.created_at as createdAt',
      'approval.decided_at as decidedAt',
      'approval.expires_at as expiresAt',
      // Nobody is asked any more where it is decided.
      sql<ChangeAuthor[]>`case when approval.decision is null then ${recordedAuthors(organizationId)} else '[]' end`.as(
        'authors',
      ),
    ]);
}
