import { changeEnvironment } from './change-environment.ts';
import { cloneEnvironment } from './copies/clone-environment.ts';
import { compareEnvironments } from './copies/compare-environments.ts';
import { createEnvironment } from './create-environment.ts';
import { deleteEnvironment } from './delete-environment.ts';
import { environmentDeletionImpact } from './deletion-impact.ts';
import { getEnvironmentCommand } from './get-command.ts';
import { getEnvironment } from './get-environment.ts';
import { getOverview } from './get-overview.ts';
import { listEnvironments } from './list-environments.ts';

export const environments = {
  list: listEnvironments,
  create: createEnvironment,
  get: getEnvironment,
  change: changeEnvironment,
  delete: deleteEnvironment,
  deletionImpact: environmentDeletionImpact,
  overview: getOverview,
  command: getEnvironmentCommand,
  compare: compareEnvironments,
  clone: cloneEnvironment,
};
