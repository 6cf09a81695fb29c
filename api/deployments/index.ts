import { cancelDeployment } from './cancel-deployment.ts';
import { getDeployment } from './get-deployment.ts';
import { listDeployments } from './list-deployments.ts';
import { listEnvironmentDeployments } from './list-environment-deployments.ts';
import { listEvents } from './list-events.ts';
import { listServiceDeployments } from './list-service-deployments.ts';
import { promote } from './promote.ts';
import { redeploy } from './redeploy.ts';
import { rollBack } from './roll-back.ts';
import { streamDeployment } from './stream-deployment.ts';

export const deployments = {
  list: listDeployments,
  ofEnvironment: listEnvironmentDeployments,
  ofService: listServiceDeployments,
  get: getDeployment,
  cancel: cancelDeployment,
  events: listEvents,
  stream: streamDeployment,
  rollBack,
  redeploy,
  promote,
};
