import { defineEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '../../postgres/json.ts';

/**
 * How long deployments took that were created until the end of a day (UTC) and went live: numbers by bucket, by series
 * (domain/deployments/durations.ts), of all days so far. What a window holds is the difference of two rows, however long
 * it is and however much happened in it. Scopes are those of `deployment-day.ts`; a day without any has no row.
 */
export const DeploymentDurationsSchema = defineEntity({
  name: 'DeploymentDurations',
  tableName: 'deployment_durations',
  properties: {
    projectId: p.uuid().primary(),
    scope: p.text().primary(),
    day: p.date().primary(),
    organizationId: p.uuid(),
    durations: p.json<JsonObject>(),
  },
  indexes: [{ name: 'deployment_durations_organization_id_index', properties: ['organizationId'] }],
});

export class DeploymentDurations extends DeploymentDurationsSchema.class {}
DeploymentDurationsSchema.setClass(DeploymentDurations);
