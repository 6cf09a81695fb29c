import { DeploymentSchema } from './deployment.ts';
import { DeploymentEventSchema } from './deployment-event.ts';
import { DeploymentDaySchema } from './statistics/deployment-day.ts';
import { DeploymentDurationsSchema } from './statistics/deployment-durations.ts';

export const deployments = [
  DeploymentSchema,
  DeploymentEventSchema,
  DeploymentDaySchema,
  DeploymentDurationsSchema,
] as const;
