import type { ActorDescriptor, ActorInput, WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import { numberOf, textOf } from '../../domain/actors/actors.ts';
import { type ChangeSetState, changeSetStates, finalChangeSetStates } from '../../domain/change-sets/items.ts';
import { changeSetWords } from './words.ts';

/** All of it stands in the change set's row. */
export interface ChangeSetInput extends ActorInput {
  changeSetId: string;
  projectId: string;
  organizationId: string;
  state?: ChangeSetState;
  /** When its approval expires, in milliseconds. */
  expiresAt: number | null;
}

export const changeSetDescriptor = {
  kind: 'change-set',
  workflow: 'changeSet',
  table: 'change_set',
  belongsTo: 'environment',
  hint: 'environment',
  lives: 'once',
  states: changeSetStates,
  final: finalChangeSetStates,
  ends: {
    applied: 'succeeded',
    failed: 'failed',
    rejected: 'cancelled',
    expired: 'failed',
    cancelled: 'cancelled',
  } satisfies Record<(typeof finalChangeSetStates)[number], WorkflowEnd>,
  stages: [
    { name: 'approval', title: 'Approval', states: ['held'] },
    { name: 'apply', title: 'Apply', states: ['applying'] },
  ],
  readBy: { role: 'viewer', projectTokens: false },
  gone: 'cancelled',
  row: {
    name: "concat(environment.name, ' of ', project.name)",
    requested: true,
    join: `join environment on environment.organization_id = actor.organization_id and environment.id = actor.environment_id
      join project on project.organization_id = actor.organization_id and project.id = environment.project_id`,
    overdue: `actor.state = 'applying' and not exists (
        select from deployment where deployment.change_set_id = actor.id and deployment.finished_at is null)
      and not exists (select from build where build.change_set_id = actor.id and build.finished_at is null)
      and actor.applied_at < now() - interval '2 minutes'`,
    rests: "actor.state = 'held'",
    // All of its deployments and builds are over, or somebody decided, and it did not hear of that.
    unheard: {
      where: `actor.created_at < now() - interval '60 seconds' and not exists (
          select from deployment where deployment.change_set_id = actor.id and deployment.finished_at is null)
        and not exists (select from build where build.change_set_id = actor.id and build.finished_at is null)`,
    },
  },
  input: {
    columns: 'approval.expires_at as approval_expires_at',
    join: `left join approval on approval.organization_id = actor.organization_id and approval.id = actor.approval_id
        and approval.decision is null`,
    from: (row): ChangeSetInput => ({
      changeSetId: textOf(row.id),
      projectId: textOf(row.project_id),
      organizationId: textOf(row.organization_id),
      state: changeSetStates.find((state) => state === row.state) ?? 'applying',
      revision: numberOf(row.revision),
      expiresAt: row.approval_expires_at instanceof Date ? row.approval_expires_at.getTime() : null,
    }),
  },
  interrupted: (how) =>
    `The workflow of this change set ${how} before it finished; its deployments go on by themselves.`,
  purge: { keeps: [] },
  activities: ['expireChangeSet', 'settleChangeSet'],
  readByRequester: false,
  words: changeSetWords,
} as const satisfies ActorDescriptor;
