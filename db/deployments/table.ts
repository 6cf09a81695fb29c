import { defineEntity, p } from '@mikro-orm/core';
import {
  type DeploymentStage,
  deploymentBlockers,
  deploymentEventKinds,
  deploymentKinds,
  deploymentStates,
} from '../../domain/deployments/states.ts';
import { actorRow, requestedBy, withoutArchive } from '../engine/actor-row.ts';
import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';

/** One moment of a deployment, for people. */
const DeploymentEventSchema = defineEntity({
  name: 'deployment_event',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    deploymentId: p.uuid(),
    /** Names a moment that happens once, so that an activity that runs twice tells it once. */
    occasion: p.text(),
    kind: p.enum(deploymentEventKinds),
    stage: p.text().default(''),
    blocker: p.text().default(''),
    message: p.text().default(''),
    decision: p.text().default(''),
    decidedBy: p.text().default(''),
    at: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
  uniques: [{ name: 'deployment_event_occasion_unique', properties: ['deploymentId', 'occasion'] }],
  indexes: [
    { name: 'deployment_event_page_index', properties: ['deploymentId', 'at', 'id'] },
    { properties: ['organizationId'] },
  ],
});

/** The rollout of a release: the row of the actor `deployment/<id>`. */
const DeploymentSchema = defineEntity({
  name: 'deployment',
  properties: {
    /**
     * Of its `blocker` people see the code `temporal`; its `message` is the sentence of `waitsFor`: what is waited for, and who
     * can end that.
     */
    ...actorRow,
    projectId: p.uuid(),
    environmentId: p.uuid(),
    serviceId: p.uuid(),
    releaseId: p.uuid(),
    kind: p.enum(deploymentKinds),
    state: p.enum(deploymentStates).default('pending'),
    /** The API's `blocker`: the code of what is waited for, or of what failed. */
    waitsFor: p.enum(deploymentBlockers).nullable(),
    /** The order in which deployments were admitted. */
    admissionOrder: p.bigint('number').autoincrement(),
    /** Where it stands in the queue, if that is where one stood that it superseded. */
    queueOrder: p.bigint('number').nullable(),
    /** Waits for a slot instead of being refused. */
    queued: p.boolean().default(false),
    approvalId: p.uuid().nullable(),
    changeSetId: p.uuid().nullable(),
    changeSetMessage: p.text().default(''),
    /** Of the same change set: those that are live before it begins. */
    afterDeployments: p.array().default([]),
    cancelRequestedAt: p.datetime(3).nullable(),
    downtimeAccepted: p.boolean().default(false),
    ...requestedBy,
    /** Where it rolls, and the revision of that cluster's desired state. */
    clusterId: p.uuid().nullable(),
    workloadRevision: p.integer().nullable(),
    /** The name of its instances there, from its claim on: that of the live ones if nothing but replicas differs. */
    runsAs: p.text().nullable(),
    /** `{ stage, startedAt, endedAt?, detail? }` each. */
    stages: p.json<JsonValue[]>().defaultRaw(`'[]'`),
    /** The instance that failed, its exit, its last lines. */
    failure: p.json<JsonObject>().nullable(),
    /** Of one that is live: what visitors get instead of it, `answerFault` of protocol/observed.ts each. */
    warnings: p.json<JsonValue[]>().defaultRaw(`'[]'`),
    rerunOf: p.uuid().nullable(),
    fromStage: p.text().nullable().$type<DeploymentStage>(),
    startedAt: p.datetime(3).nullable(),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    // A net: the arbiter admits one at a time.
    {
      name: 'deployment_rollout_unique',
      properties: ['environmentId', 'serviceId'],
      where: "state in ('preparing', 'releasing', 'starting', 'checking', 'switching', 'draining')",
    },
  ],
  indexes: [
    { name: 'deployment_open_index', properties: ['projectId'], where: 'finished_at is null' },
    {
      name: 'deployment_open_page_index',
      properties: ['organizationId', 'createdAt', 'id'],
      where: 'finished_at is null',
    },
    { name: 'deployment_page_index', properties: ['organizationId', 'createdAt', 'id'] },
    { name: 'deployment_started_index', properties: ['organizationId', 'startedAt'], where: 'started_at is not null' },
    { name: 'deployment_project_page_index', properties: ['organizationId', 'projectId', 'createdAt', 'id'] },
    {
      name: 'deployment_state_page_index',
      properties: ['organizationId', 'state', 'createdAt', 'id'],
      where: "state <> 'live'",
    },
    { name: 'deployment_of_environment_index', properties: ['organizationId', 'environmentId', 'createdAt', 'id'] },
    {
      name: 'deployment_environment_page_index',
      properties: ['organizationId', 'environmentId', 'serviceId', 'createdAt', 'id'],
    },
    { name: 'deployment_service_page_index', properties: ['organizationId', 'serviceId', 'createdAt', 'id'] },
    { properties: ['releaseId'] },
    {
      name: 'deployment_rerun_of_index',
      properties: ['rerunOf', 'admissionOrder'],
      where: 'rerun_of is not null',
    },
    { properties: ['changeSetId'], where: 'change_set_id is not null' },
    withoutArchive('deployment'),
  ],
});

/**
 * How many deployments were created on a day (UTC), whatever became of them. Counted thrice: for the project, for the
 * environment and for the service in it (`scope.ts`). Written under the lock of the project's admission, so a counter
 * makes nobody wait who does not wait anyway.
 */
const DeploymentDaySchema = defineEntity({
  name: 'deployment_day',
  properties: {
    projectId: p.uuid().primary(),
    scope: p.text().primary(),
    day: p.date().primary(),
    organizationId: p.uuid(),
    deployments: p.integer(),
  },
  indexes: [{ properties: ['organizationId'] }],
});

/**
 * How long deployments took that were created until the end of a day (UTC) and went live: numbers by bucket, by series
 * (domain/deployments/durations.ts), of all days so far. What a window holds is the difference of two rows, however long
 * it is and however much happened in it. Scopes are those of `deployment-day.ts`; a day without any has no row.
 */
const DeploymentDurationsSchema = defineEntity({
  name: 'deployment_durations',
  properties: {
    projectId: p.uuid().primary(),
    scope: p.text().primary(),
    day: p.date().primary(),
    organizationId: p.uuid(),
    durations: p.json<JsonObject>(),
  },
  indexes: [{ properties: ['organizationId'] }],
});

export const deployments = [
  DeploymentSchema,
  DeploymentEventSchema,
  DeploymentDaySchema,
  DeploymentDurationsSchema,
] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toRow('deployment', 'project_id', 'project'),
  toRow('deployment', 'service_id', 'service'),
  toRow('deployment', 'release_id', 'release'),
  toRow('deployment_day', 'project_id', 'project'),
  toRow('deployment_durations', 'project_id', 'project'),
  partOf('deployment_event', 'deployment_id', 'deployment'),
];
