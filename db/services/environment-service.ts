import { defineEntity, p } from '@mikro-orm/core';
import type { ServiceSettings } from '../../domain/services/settings.ts';

/** A service in an environment, once a change set that adds it there was applied: its settings and its live release. */
export const EnvironmentServiceSchema = defineEntity({
  name: 'EnvironmentService',
  tableName: 'environment_service',
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
  indexes: [
    { name: 'environment_service_organization_id_service_id_index', properties: ['organizationId', 'serviceId'] },
    { name: 'environment_service_organization_id_project_id_index', properties: ['organizationId', 'projectId'] },
  ],
});

export class EnvironmentService extends EnvironmentServiceSchema.class {}
EnvironmentServiceSchema.setClass(EnvironmentService);
