import type { ReleaseToDeploy } from '../request-deployment.ts';

/** A service in an environment, with the names that sentences need. */
export interface SuspensionPlace extends Omit<ReleaseToDeploy, 'id'> {
  service: string;
  environment: string;
}
