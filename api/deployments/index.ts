import { cancelDeployment } from './cancel-deployment.ts';
import { getDeployment } from './get-deployment.ts';
import { listDeployments } from './list-deployments.ts';
import { listEnvironmentDeployments } from './list-environment-deployments.ts';
import { listEvents } from './list-events.ts';
import { listServiceDeployments } from './list-service-deployments.ts';
import { previewPromotion, promote } from './promotion/promote.ts';
import { redeploy } from './redeploy.ts';
import { rerun } from './rerun.ts';
import { rollBack } from './roll-back.ts';
import { getStatistics } from './statistics/get-statistics.ts';
import { perDay } from './statistics/per-day.ts';
import { streamDeployment } from './stream-deployment.ts';

export const deployments = {
  list: listDeployments,
  ofEnvironment: listEnvironmentDeployments,
  ofService: listServiceDeployments,
  perDay,
  stats: getStatistics,
  get: getDeployment,
  cancel: cancelDeployment,
  events: listEvents,
  stream: streamDeployment,
  rollBack,
  redeploy,
  promote,
  previewPromotion,
  rerun,
};
