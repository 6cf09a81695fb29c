import { defineEntity, p } from '@mikro-orm/core';
import { deploymentEventKinds } from '../../domain/deployments/states.ts';

/** One moment of a deployment, for people. */
export const DeploymentEventSchema = defineEntity({
  name: 'DeploymentEvent',
  tableName: 'deployment_event',
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
    { name: 'deployment_event_organization_id_index', properties: ['organizationId'] },
  ],
});

export class DeploymentEvent extends DeploymentEventSchema.class {}
DeploymentEventSchema.setClass(DeploymentEvent);
