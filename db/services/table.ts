import { defineEntity, p } from '@mikro-orm/core';
import type { ProcessSettings, ServiceDefinition, ServiceSettings } from '../../domain/services/settings.ts';
import { buildTimes } from '../../domain/variables/build-time.ts';
import { type ForeignKey, partOf, toRow } from '../postgres/foreign-key.ts';

/** A service in an environment, once a change set that adds it there was applied: its settings and its live release. */
const EnvironmentServiceSchema = defineEntity({
  name: 'environment_service',
  properties: {
    environmentId: p.uuid().primary(),
    serviceId: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    /** The wanted settings: what was applied last, whether its deployment went live or failed. */
    settings: p.json<ServiceSettings>(),
    /** `contentDigest` of the release that was made of these settings; null while nothing was. */
    appliedDigest: p.text().nullable(),
    /** A rollback has changed values that it refers to, its own or of another service: it runs others until it is applied again. */
    outgrown: p.boolean().default(false),
    liveReleaseId: p.uuid().nullable(),
    liveDeploymentId: p.uuid().nullable(),
    liveAt: p.datetime(3).nullable(),
    suspended: p.boolean().default(false),
    /** Since when, and the name of who suspended it; null while it is not. */
    suspendedAt: p.datetime(3).nullable(),
    suspendedBy: p.text().nullable(),
    /** Volumes for which somebody accepted that their process is down for a moment: remembered while they are mounted. */
    downtimeAccepted: p.array().default([]),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['organizationId', 'serviceId'] }, { properties: ['organizationId', 'projectId'] }],
});

/** One kind of instances of a service: its web server, a worker, a cron job. */
const ServiceProcessSchema = defineEntity({
  name: 'service_process',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    serviceId: p.uuid(),
    name: p.text(),
    definition: p.json<ProcessSettings>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    { name: 'service_process_name_unique', properties: ['serviceId', 'name'] },
  ],
  indexes: [{ properties: ['organizationId', 'serviceId'] }],
});

/** A part of an application. Its settings belong to it in an environment; these here are the default of environments to come. */
const ServiceSchema = defineEntity({
  name: 'service',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    projectId: p.uuid(),
    name: p.text(),
    slug: p.text(),
    template: p.text().nullable(),
    definition: p.json<ServiceDefinition>(),
    canvasX: p.double().$type<number>().nullable(),
    canvasY: p.double().$type<number>().nullable(),
    skipProductionApproval: p.boolean().default(false),
    skipProductionApprovalAt: p.datetime(3).nullable(),
    skipProductionApprovalBy: p.text().nullable(),
    deletionId: p.uuid().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    { name: 'service_slug_unique', properties: ['projectId', 'slug'], where: 'deletion_id is null' },
  ],
  indexes: [
    { name: 'service_page_index', properties: ['organizationId', 'projectId', 'createdAt', 'id'] },
    {
      name: 'service_slug_page_index',
      expression:
        'create index "service_slug_page_index" on "service" ("project_id", "slug" collate "C") where deletion_id is null',
    },
  ],
});

/** A variable of a service in an environment, as it was applied. */
const VariableSchema = defineEntity({
  name: 'variable',
  properties: {
    environmentId: p.uuid().primary(),
    serviceId: p.uuid().primary(),
    key: p.text().primary(),
    organizationId: p.uuid(),
    /** Empty if it is secret. */
    value: p.text().default(''),
    /** The value of a secret one, encrypted with the organization's key. */
    sealed: p.blob().$type<Buffer>().nullable(),
    /** The references of its value; null where nothing of it is read as one. */
    refers: p.array().nullable(),
    /** Null: written before builds were told apart, and of run time alone since. */
    buildTime: p.enum(buildTimes).nullable(),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    updatedBy: p.text(),
  },
  indexes: [
    { properties: ['organizationId', 'environmentId'] },
    // Lists are in the order of bytes, whatever the locale of the database.
    {
      name: 'variable_page_index',
      expression:
        'create index "variable_page_index" on "variable" ("environment_id", "service_id", "key" collate "C")',
    },
    { name: 'variable_refers_index', properties: ['environmentId'], where: 'refers is not null' },
  ],
});

/** A directory of a process that outlives its instances: the project's definition, and the name of what clusters keep. */
const VolumeSchema = defineEntity({
  name: 'volume',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    serviceId: p.uuid(),
    processId: p.uuid(),
    name: p.text(),
    mountPath: p.text(),
    sizeBytes: p.bigint('number'),
    storageClass: p.text().default(''),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** No environment to come has it. The row stays as long as a cluster may have its data. */
    removedAt: p.datetime(3).nullable(),
    /** No environment mounts it any more: its data are kept until the retention has passed. */
    deletionId: p.uuid().nullable(),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    { name: 'volume_name_unique', properties: ['serviceId', 'name'], where: 'removed_at is null' },
  ],
  indexes: [{ properties: ['organizationId', 'serviceId'] }, { properties: ['processId'] }],
});

export const services = [
  ServiceSchema,
  ServiceProcessSchema,
  VolumeSchema,
  EnvironmentServiceSchema,
  VariableSchema,
] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toRow('service', 'project_id', 'project'),
  partOf('service_process', 'service_id', 'service'),
  partOf('volume', 'service_id', 'service'),
  toRow('environment_service', 'environment_id', 'environment'),
  toRow('environment_service', 'service_id', 'service'),
  toRow('environment_service', 'live_release_id', 'release'),
  toRow('variable', 'environment_id', 'environment'),
  partOf('variable', 'service_id', 'service'),
];
