import { type Kysely, sql } from 'kysely';
import type { ChangeSetSource, ChangeSetState } from '../../domain/change-sets/items.ts';
import { downSentence } from '../engine/processes/processes.ts';
import { type Page, pageOf } from '../postgres/page-of.ts';
import type { Tables } from '../postgres/tables.ts';
import { tenant } from '../postgres/tenant.ts';

/** A change set, or the draft that becomes one. */
export interface ChangeSetRecord {
  id: string;
  environmentId: string;
  state: ChangeSetState | 'draft';
  approvalId: string | null;
  title: string;
  reason: string;
  source: ChangeSetSource;
  sourceCommit: string | null;
  downtimeAccepted: boolean;
  requestedBy: { id: string; name: string } | null;
  createdAt: Date;
  appliedAt: Date | null;
  finishedAt: Date | null;
  /** Of a draft. */
  revision: number | null;
  /** Why it is as it is. */
  blocker: string | null;
  message: string | null;
}

/** A change set or a draft, with where it belongs. */
export interface FoundChangeSet extends ChangeSetRecord {
  organizationId: string;
  projectId: string;
}

/** The change set of that id, or the draft that becomes it. */
export async function findChangeSet(
  kysely: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<FoundChangeSet | undefined> {
  const row = await changeSets(kysely, organizationId).where('change_set.id', '=', id).executeTakeFirst();
  if (row !== undefined) return recordOf(row);
  const draft = await tenant(kysely, organizationId)
    .selectFrom('draft')
    .innerJoin('environment', 'environment.id', 'draft.environment_id')
    .select([
      'draft.id',
      'draft.environment_id as environmentId',
      'draft.revision',
      'draft.created_at as createdAt',
      'environment.organization_id as organizationId',
      'environment.project_id as projectId',
    ])
    .where('draft.id', '=', id)
    .where('environment.deletion_id', 'is', null)
    .executeTakeFirst();
  return draft === undefined ? undefined : { ...draft, ...asDraft };
}

/** The change sets of an environment that were applied, newest first. */
export async function listChangeSets(
  kysely: Kysely<Tables>,
  { organizationId, id }: { organizationId: string; id: string },
  page: Page,
): Promise<FoundChangeSet[]> {
  const query = changeSets(kysely, organizationId)
    .where('change_set.environment_id', '=', id)
    .$call(pageOf('change_set', 'newest', page));
  return (await query.execute()).map(recordOf);
}

/** What a draft says of all that a change set has. */
export const asDraft = {
  state: 'draft',
  approvalId: null,
  title: '',
  reason: '',
  source: 'console',
  sourceCommit: null,
  downtimeAccepted: false,
  requestedBy: null,
  appliedAt: null,
  finishedAt: null,
  blocker: null,
  message: null,
} as const satisfies Partial<ChangeSetRecord>;

/** A held one waits for people. */
const blockerOf = sql<string | null>`coalesce(
  case when change_set.finished_at is null and change_set.state <> 'held' then ${downSentence} end, change_set.blocker)`;

function changeSets(kysely: Kysely<Tables>, organizationId: string) {
  return tenant(kysely, organizationId)
    .selectFrom('change_set')
    .select([
      'change_set.id',
      'change_set.organization_id as organizationId',
      'change_set.project_id as projectId',
      'change_set.environment_id as environmentId',
      'change_set.state',
      'change_set.approval_id as approvalId',
      'change_set.title',
      'change_set.reason',
      'change_set.source',
      'change_set.source_commit as sourceCommit',
      'change_set.downtime_accepted as downtimeAccepted',
      'change_set.requested_by_id as byId',
      'change_set.requested_by_name as byName',
      'change_set.created_at as createdAt',
      'change_set.applied_at as appliedAt',
      'change_set.finished_at as finishedAt',
      blockerOf.as('blocker'),
      'change_set.message',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof changeSets>['execute']>>[number];

function recordOf({ byId, byName, ...row }: Row): FoundChangeSet {
  return { ...row, requestedBy: { id: byId, name: byName }, revision: null };
}
