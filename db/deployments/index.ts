import { DeploymentSchema } from './deployment.ts';
import { DeploymentEventSchema } from './deployment-event.ts';

export const deployments = [DeploymentSchema, DeploymentEventSchema] as const;
