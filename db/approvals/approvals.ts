import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type ChangeAuthor, decidersAmong } from '../../domain/approvals/approvals.ts';
import {
  approvalRequested,
  type BrokenGlass,
  glassBroken,
  type RequestedApproval,
} from '../../domain/notifications/messages.ts';
import type { Author, Effect } from '../engine/effect.ts';
import { notify } from '../notifications/notify.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';
import { recordAuthors, recordedAuthors } from './authors.ts';

export type ApprovalView = NonNullable<Awaited<ReturnType<typeof findApproval>>>;

export async function findApproval(kysely: Kysely<Tables>, organizationId: string, id: string) {
  return await approvals(kysely, organizationId).where('approval.id', '=', id).executeTakeFirst();
}

interface ApprovalFilter {
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

/** The accounts that may decide in an organization at all: its admins and owners. */
export async function deciders(kysely: Kysely<Tables>, organizationId: string): Promise<string[]> {
  return (await people(kysely, organizationId)).map(({ id }) => id);
}

/** Those of them who may decide an approval that is pending, by name. */
export async function namedDeciders(
  kysely: Kysely<Tables>,
  { organizationId, decision, authors }: Pick<ApprovalView, 'organizationId' | 'decision' | 'authors'>,
): Promise<{ id: string; name: string }[]> {
  if (decision !== null) return [];
  const all = await people(kysely, organizationId);
  const among = new Set(decidersAmong({ authors, deciders: all.map(({ id }) => id) }));
  return all.filter(({ id }) => among.has(id));
}

async function people(kysely: Kysely<Tables>, organizationId: string): Promise<{ id: string; name: string }[]> {
  return await tenant(kysely, organizationId)
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select(['app_user.id', 'app_user.name'])
    .where('membership.role', 'in', ['admin', 'owner'])
    .where('app_user.disabled_at', 'is', null)
    .orderBy('app_user.name')
    .execute();
}

/** Whether a token was exchanged by a CI job: a rule made it, not a person. */
export async function isExchanged(kysely: Kysely<Tables>, organizationId: string, tokenId: string): Promise<boolean> {
  const token = await tenant(kysely, organizationId)
    .selectFrom('api_token')
    .select('trusted_issuer_id')
    .where('id', '=', tokenId)
    .executeTakeFirst();
  return token?.trusted_issuer_id != null;
}

interface ApprovalRequest extends Omit<RequestedApproval, 'requestedBy'> {
  requestedBy: Pick<Author, 'kind' | 'id' | 'name'>;
  /** The person behind it, where it was requested by a token. */
  answerableId: string | undefined;
}

/** Records whose change an approval is that was just written, and tells those who may decide, except the requester. */
export async function askDeciders(
  effect: Effect,
  organizationId: string,
  { requestedBy, answerableId, ...asked }: ApprovalRequest,
): Promise<void> {
  const authors = await recordAuthors(effect, organizationId, asked.approvalId);
  const among = decidersAmong({ authors, deciders: await deciders(effect.kysely, organizationId) });
  await notify(effect, {
    organizationId,
    occasion: `approval ${asked.approvalId} requested`,
    message: approvalRequested({ ...asked, requestedBy: requestedBy.name }),
    to: { admins: among, except: answerableId === undefined ? requestedBy : { kind: 'user', id: answerableId } },
    channels: { chat: true },
  });
}

/** Everybody who may decide, the one who broke the glass included: it must not pass unnoticed. */
export async function notifyOfBreakGlass(effect: Effect, organizationId: string, broken: BrokenGlass): Promise<void> {
  await notify(effect, {
    organizationId,
    occasion: `approval ${broken.approvalId} passed by break-glass`,
    message: glassBroken(broken),
    to: { admins: true },
    channels: { chat: true, alsoOf: 'failure' },
  });
}

/**
 * The end of an approval that is requested now, by the organization's setting. In hours: an interval of days is one of the
 * calendar, and an hour shorter or longer where the time zone of the session changes to or from summer time.
 */
export function expiresAt(organizationId: string, from: RawBuilder<Date> = sql<Date>`now()`): RawBuilder<Date> {
  return sql<Date>`${from} + make_interval(hours => (
    select approval_expiry_hours from organization where id = ${organizationId}))`;
}
