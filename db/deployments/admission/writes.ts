import { sql } from 'kysely';
import { actorId } from '../../../domain/actors/actors.ts';
import type { ApprovalDecision } from '../../../domain/approvals/approvals.ts';
import { endSentence, strandedSentence, waitingSentence } from '../../../domain/deployments/admission-words.ts';
import type { Admission, Admitted, Change } from '../../../domain/deployments/arbiter-types.ts';
import { type DeploymentBlocker, type DeploymentState, isDeploymentFinal } from '../../../domain/deployments/states.ts';
import { returnItems } from '../../change-sets/return-items.ts';
import type { Effect } from '../../engine/effect.ts';
import { tenant } from '../../postgres/tenant.ts';
import { countCreated } from '../statistics.ts';
import type { AdmissionRequest, Loaded, NewDeployment, OpenDeployment, Preceding, ProjectRef } from './snapshot.ts';

/** What the row of a deployment says after an event. */
export interface Written {
  before: OpenDeployment;
  change: Change;
  state: DeploymentState;
  revision: number;
  waitsFor: DeploymentBlocker | null;
  message: string | null;
}

/** Rows in the order of the request, which is the order of the queue. */
export async function insertDeployments(
  { kysely, author }: Effect,
  { organizationId, projectId }: ProjectRef,
  { concurrency, deployments }: Loaded,
  { insert }: Admission,
  request: AdmissionRequest,
  before: Preceding,
): Promise<void> {
  if (insert.length === 0 || request.event !== 'create') return;
  const last = Math.max(0, ...deployments.map(({ order }) => order));
  const rows = insert.map((one: Admitted) => {
    const { environmentId, serviceId, ...more } = request.deployments.find(({ id }) => id === one.id) as NewDeployment;
    const by = more.requestedBy ?? author;
    return {
      ...{ id: one.id, organization_id: organizationId, project_id: projectId },
      ...{ environment_id: environmentId, service_id: serviceId, release_id: one.releaseId, kind: one.kind },
      ...{ state: one.state, waits_for: one.blocker === '' ? null : one.blocker },
      message: waitingSentence(one.blocker, concurrency, before(one.id)) || null,
      after_deployments: [...(one.after ?? [])],
      // Behind all others its number says where it stands.
      queue_order: one.order > last ? null : one.order,
      ...{ queued: more.queue, approval_id: one.approvalId ?? null, change_set_id: one.changeSetId ?? null },
      ...{ change_set_message: more.changeSetMessage ?? '', downtime_accepted: more.downtimeAccepted ?? false },
      ...{ requested_by_kind: by.kind, requested_by_id: by.id, requested_by_name: by.name },
      ...{ rerun_of: more.rerunOf ?? null, from_stage: more.fromStage ?? null },
      // Not the transaction's beginning, which may lie before that of one that was admitted earlier.
      created_at: sql<Date>`clock_timestamp()`,
    };
  });
  await kysely.insertInto('deployment').values(rows).execute();
  const ids = rows.map(({ id }) => id);
  await countCreated(kysely, organizationId, ids);
}

/** Each row by id and revision. One that is not as it was loaded under the lock is a defect. */
export async function updateDeployments(
  { kysely, database }: Effect,
  { organizationId }: ProjectRef,
  loaded: Loaded,
  { update }: Admission,
  request: AdmissionRequest,
  preceding: Preceding,
): Promise<Written[]> {
  if (update.length === 0) return [];
  const before = new Map(loaded.deployments.map((one) => [one.id, one]));
  const written = update.map((change) =>
    writtenOf(before.get(change.id) as OpenDeployment, change, loaded, request, preceding),
  );
  const column = <T>(of: (row: Written) => T): T[] => written.map(of);
  const { rows } = await sql`
    update deployment set state = new.state, revision = new.revision + 1,
      waits_for = case when new.asked then deployment.waits_for else new.waits_for end,
      message = case when new.asked then deployment.message else new.message end,
      cancel_requested_at = case when new.asked then clock_timestamp() else deployment.cancel_requested_at end,
      finished_at = case when new.final then clock_timestamp() end,
      after_deployments = case when new.after is null then deployment.after_deployments
        else array(select jsonb_array_elements_text(new.after::jsonb)) end,
      queue_order = coalesce(new.queue_order, deployment.queue_order)
    from unnest(
      ${column(({ change }) => change.id)}::uuid[], ${column(({ before }) => before.revision)}::int[],
      ${column(({ state }) => state)}::text[], ${column(({ waitsFor }) => waitsFor)}::text[],
      ${column(({ message }) => message)}::text[], ${column(({ change }) => change.cancelRequested === true)}::bool[],
      ${column(({ state }) => isDeploymentFinal(state))}::bool[],
      ${column(({ change }) => (change.after === undefined ? null : JSON.stringify(change.after)))}::text[],
      ${column(({ change }) => change.order ?? null)}::bigint[]
    ) as new (id, revision, state, waits_for, message, asked, final, after, queue_order)
    where deployment.organization_id = ${organizationId} and deployment.id = new.id
      and deployment.revision = new.revision and deployment.finished_at is null
    returning deployment.id
  `
    .execute(kysely)
    .catch((error: unknown) => {
      if (!isSecondRollout(error)) throw error;
      const id = request.event === 'claim' ? request.id : '';
      const message = 'A deployment was claimed while another one rolls at its place: the rule of admission is broken.';
      database.raiseAlarm({ actorId: actorId('deployment', id), message });
      throw error;
    });
  if (rows.length < written.length) {
    throw new Error(`Of ${written.length} deployments to write, ${rows.length} are as they were under the lock.`);
  }
  return written;
}

function writtenOf(
  before: OpenDeployment,
  change: Change,
  { concurrency }: Loaded,
  request: AdmissionRequest,
  preceding: Preceding,
): Written {
  const state = change.state ?? before.state;
  const waitsFor = change.blocker ?? before.blocker;
  const row = { before, change, state, revision: before.revision + 1 };
  if (!isDeploymentFinal(state)) {
    return {
      ...row,
      waitsFor: waitsFor || null,
      message: waitingSentence(waitsFor, concurrency, preceding(change.id)) || null,
    };
  }
  const said = request.event === 'finish' && request.id === change.id ? request : undefined;
  // One that a person cancels has no blocker any more.
  if (said === undefined && waitsFor === 'dependency') {
    return { ...row, waitsFor, message: strandedSentence(preceding(change.id)) };
  }
  const sentence = state === 'live' ? null : endSentence(state, before.state === 'pending');
  return { ...row, waitsFor: said?.waitsFor ?? null, message: said?.message ?? sentence };
}

/** The net beneath the arbiter. */
function isSecondRollout(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'deployment_rollout_unique';
}

/** The release that serves at a place from now on. */
export async function writeLive(
  { kysely }: Effect,
  { organizationId }: ProjectRef,
  { deployments }: Loaded,
  { live }: Admission,
): Promise<void> {
  const deployment = deployments.find(({ id }) => id === live?.deploymentId);
  if (live === undefined || deployment === undefined) return;
  await tenant(kysely, organizationId)
    .updateTable('environment_service')
    .set({
      ...{ live_release_id: live.releaseId, live_deployment_id: live.deploymentId, live_at: sql`clock_timestamp()` },
      // Another one may have begun before the place was suspended.
      ...(deployment.kind === 'resume' ? { suspended: false, suspended_at: null, suspended_by: null } : {}),
      // An acceptance ends when its volume is mounted no more.
      downtime_accepted: sql<string[]>`array(
        select accepted.volume from unnest(downtime_accepted) as accepted (volume)
        join release on release.organization_id = environment_service.organization_id and release.id = ${live.releaseId}
        where position(accepted.volume in (release.content -> 'settings')::text) > 0
      )`,
    })
    .where('environment_id', '=', deployment.environmentId)
    .where('service_id', '=', deployment.serviceId)
    .execute();
}

/** Writes the decision that the event is, and those that follow for other approvals. */
export async function decideApprovals(
  effect: Effect,
  project: ProjectRef,
  { closed }: Admission,
  request: AdmissionRequest,
): Promise<void> {
  if (request.event === 'decide') {
    const { approvalId, decision, by } = request;
    const who =
      by === undefined
        ? {}
        : {
            ...{ decided_by_id: by.id, decided_by_name: by.name, self_approved: by.selfApproved ?? false },
            ...{ broken_glass: by.brokenGlass ?? false, decision_reason: by.reason ?? '' },
          };
    await close(effect, project, [approvalId], { decision, ...who });
  }
  for (const decision of ['superseded', 'cancelled'] as const) {
    const ids = closed.flatMap((one) => (one.decision === decision ? [one.approvalId] : []));
    await close(effect, project, ids, { decision });
  }
}

/**
 * One that was decided before stays as it is. The changes of one that was not approved return to the draft, unless their
 * change set waits for another one by now.
 */
export async function close(
  effect: Effect,
  { organizationId, projectId }: ProjectRef,
  ids: readonly string[],
  set: { decision: ApprovalDecision; decided_by_id?: string },
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await tenant(effect.kysely, organizationId)
    .updateTable('approval')
    .set({ ...set, decided_at: sql`clock_timestamp()` })
    .where('id', 'in', ids)
    .where('decision', 'is', null)
    .returning(['id', 'change_set_id'])
    .execute();
  const { decision } = set;
  for (const { id, change_set_id: changeSetId } of rows) {
    effect.change({ organizationId, projectId, kind: 'approval', id });
    if (changeSetId === null || decision === 'approved') continue;
    if (!(await waitsFor(effect, organizationId, changeSetId, id))) continue;
    await returnItems(effect, organizationId, changeSetId, decision === 'superseded' ? 'cancelled' : decision);
    effect.tell({ to: actorId('change-set', changeSetId), message: 'decided', organizationId, body: {} });
  }
}

async function waitsFor(
  { kysely }: Effect,
  organizationId: string,
  changeSetId: string,
  approvalId: string,
): Promise<boolean> {
  const row = await tenant(kysely, organizationId)
    .selectFrom('change_set')
    .select('id')
    .where('id', '=', changeSetId)
    .where('approval_id', '=', approvalId)
    .executeTakeFirst();
  return row !== undefined;
}
