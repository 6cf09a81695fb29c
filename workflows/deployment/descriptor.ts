import type { ActorDescriptor, ActorInput, WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import { numberOf, textOf } from '../../domain/actors/actors.ts';
import {
  type DeploymentState,
  deploymentStates,
  endedOutside,
  finalDeploymentStates,
} from '../../domain/deployments/states.ts';
import { deploymentWords } from './words.ts';

const minute = 60_000;

/** So long may a rollout last after its claim, whatever the agent says; the agent's own deadlines end it long before. */
export const rolloutMillis = 120 * minute;

/** All of it stands in the deployment's row. */
export interface DeploymentInput extends ActorInput {
  deploymentId: string;
  projectId: string;
  organizationId: string;
  /** The release's digest, which the agent reports, too. */
  digest: string;
  state?: DeploymentState;
  cancelRequested: boolean;
  /** Of an approval of this deployment alone, in milliseconds; that of a change set expires with the change set. */
  expiresAt: number | null;
  /** So long may the release command of its release take, in seconds; absent: it has none. */
  releaseSeconds?: number;
}

const releaseSeconds = `case when jsonb_typeof(release.content #> '{settings,releaseCommand,0}') = 'string'
  then (release.content #>> '{settings,releaseCommandTimeoutSeconds}')::int else 0 end`;

export const deploymentDescriptor = {
  kind: 'deployment',
  workflow: 'deployment',
  table: 'deployment',
  belongsTo: 'environment',
  hint: 'deployment',
  lives: 'once',
  states: deploymentStates,
  final: finalDeploymentStates,
  ends: {
    live: 'succeeded',
    failed: 'failed',
    superseded: 'cancelled',
    cancelled: 'cancelled',
    rejected: 'cancelled',
    expired: 'failed',
  } satisfies Record<(typeof finalDeploymentStates)[number], WorkflowEnd>,
  stages: [
    { name: 'queue', title: 'Queue', states: ['pending'] },
    { name: 'prepare', title: 'Prepare', states: ['preparing'] },
    { name: 'release-command', title: 'Release command', states: ['releasing'] },
    { name: 'start', title: 'Start', states: ['starting'] },
    { name: 'check', title: 'Check', states: ['checking'] },
    { name: 'switch', title: 'Switch', states: ['switching'] },
    { name: 'drain', title: 'Drain', states: ['draining'] },
  ],
  readBy: { role: 'viewer', projectTokens: false },
  gone: 'cancelled',
  row: {
    name: "concat(service.name, ' to ', environment.name, ' of ', project.name)",
    requested: true,
    release: "concat('#', release.number)",
    join: `join environment on environment.organization_id = actor.organization_id and environment.id = actor.environment_id
      join project on project.organization_id = actor.organization_id and project.id = environment.project_id
      join service on service.organization_id = actor.organization_id and service.id = actor.service_id
      join release on release.organization_id = actor.organization_id and release.id = actor.release_id`,
    // Beside rows that are not joined with their release, too.
    overdue: `actor.started_at < now() - make_interval(secs => ${rolloutMillis / 1_000 + 60} + coalesce((
      select ${releaseSeconds} from release
      where release.organization_id = actor.organization_id and release.id = actor.release_id), 0))`,
    rests: `actor.waits_for in ('${endedOutside.join("', '")}')`,
    // Its turn came, or somebody cancelled it, and it did not hear of that.
    unheard: {
      where: `actor.state = 'pending' and actor.waits_for is null and actor.created_at < now() - interval '60 seconds'
        or actor.cancel_requested_at < now() - interval '60 seconds'`,
    },
  },
  input: {
    columns: `release.content_digest, approval.expires_at as approval_expires_at, ${releaseSeconds} as release_seconds`,
    join: `join release on release.id = actor.release_id
      left join approval on approval.deployment_id = actor.id and approval.decision is null`,
    from: (row): DeploymentInput => {
      const expiresAt = row.approval_expires_at;
      const seconds = numberOf(row.release_seconds);
      return {
        deploymentId: textOf(row.id),
        projectId: textOf(row.project_id),
        organizationId: textOf(row.organization_id),
        digest: textOf(row.content_digest),
        state: deploymentStates.find((state) => state === row.state) ?? 'pending',
        revision: numberOf(row.revision),
        cancelRequested: row.cancel_requested_at !== null,
        expiresAt: expiresAt instanceof Date ? expiresAt.getTime() : null,
        ...(seconds > 0 ? { releaseSeconds: seconds } : {}),
      };
    },
  },
  interrupted: (how) => `The workflow of this deployment ${how} before it finished; deploy again.`,
  latestCounts: ['rollout'],
  purge: { keeps: [] },
  activities: ['claimDeployment', 'expireDeployment', 'finishDeployment', 'lookAtRollout', 'showDeployment'],
  readByRequester: false,
  words: deploymentWords,
} as const satisfies ActorDescriptor;
