import { whyDeployment } from './why-deployment.ts';
import { whyEnvironment } from './why-environment.ts';
import { whyService } from './why-service.ts';

export const why = {
  deployment: whyDeployment,
  environment: whyEnvironment,
  service: whyService,
};
