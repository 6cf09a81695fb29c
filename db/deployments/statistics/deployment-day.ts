import { defineEntity, p } from '@mikro-orm/core';

/**
 * How many deployments were created on a day (UTC), whatever became of them. Counted thrice: for the project, for the
 * environment and for the service in it (`scope.ts`). Written under the lock of the project's admission, so a counter
 * makes nobody wait who does not wait anyway.
 */
export const DeploymentDaySchema = defineEntity({
  name: 'DeploymentDay',
  tableName: 'deployment_day',
  properties: {
    projectId: p.uuid().primary(),
    scope: p.text().primary(),
    day: p.date().primary(),
    organizationId: p.uuid(),
    deployments: p.integer(),
  },
  indexes: [{ name: 'deployment_day_organization_id_index', properties: ['organizationId'] }],
});

export class DeploymentDay extends DeploymentDaySchema.class {}
DeploymentDaySchema.setClass(DeploymentDay);
