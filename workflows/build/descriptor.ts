import type { ActorDescriptor, ActorInput, WorkflowEnd } from '../../domain/actors/actor-descriptor.ts';
import { numberOf, textOf } from '../../domain/actors/actors.ts';
import { type BuildState, buildStates, type FinalBuildState, finalBuildStates } from '../../domain/builds/states.ts';
import { buildWords } from './words.ts';

/** So long may the steps of a build take; the agent ends them then. */
export const buildSeconds = 3_600;

/** An agent that took a build and lost contact is given up after an hour. */
const lostSeconds = 3_600;

/** All of it stands in the build's row. */
export interface BuildInput extends ActorInput {
  buildId: string;
  organizationId: string;
  state?: BuildState;
  cancelRequested: boolean;
}

export const buildDescriptor = {
  kind: 'build',
  workflow: 'build',
  table: 'build',
  belongsTo: 'environment',
  hint: 'build',
  lives: 'once',
  states: buildStates,
  final: finalBuildStates,
  ends: {
    succeeded: 'succeeded',
    failed: 'failed',
    superseded: 'cancelled',
    cancelled: 'cancelled',
  } satisfies Record<FinalBuildState, WorkflowEnd>,
  stages: [
    { name: 'queue', title: 'Queue', states: ['queued'] },
    { name: 'build', title: 'Build', states: ['running'] },
  ],
  readBy: { role: 'viewer', projectTokens: false },
  gone: 'cancelled',
  row: {
    name: "concat(service.name, ' #', actor.number, ' for ', environment.name, ' of ', project.name)",
    requested: true,
    join: `join environment on environment.organization_id = actor.organization_id and environment.id = actor.environment_id
      join project on project.organization_id = actor.organization_id and project.id = environment.project_id
      join service on service.organization_id = actor.organization_id and service.id = actor.service_id`,
    overdue: `actor.started_at < now() - make_interval(secs => ${buildSeconds + lostSeconds + 60})`,
    rests: `exists (select from change_set where change_set.id = actor.change_set_id
      and change_set.organization_id = actor.organization_id and change_set.state = 'held')`,
    unheard: {
      where: `actor.cancel_requested_at < now() - interval '60 seconds' or exists (
        select from cluster_command command
        where command.id = actor.id and command.finished_at < now() - interval '60 seconds')`,
    },
  },
  input: {
    from: (row): BuildInput => ({
      buildId: textOf(row.id),
      organizationId: textOf(row.organization_id),
      state: buildStates.find((state) => state === row.state) ?? 'queued',
      revision: numberOf(row.revision),
      cancelRequested: row.cancel_requested_at !== null,
    }),
  },
  interrupted: (how) => `The workflow of this build ${how} before it finished; build again.`,
  purge: { keeps: [] },
  activities: ['claimBuild', 'stopBuild', 'releaseBuild', 'finishBuild', 'tellHost'],
  readByRequester: false,
  words: buildWords,
} as const satisfies ActorDescriptor;
