import { approveBuild } from './approve-build.ts';
import { cancelBuild } from './cancel-build.ts';
import { createBuild } from './create-build.ts';
import { getBuild } from './get-build.ts';
import { listBuildLog } from './list-build-log.ts';
import { listBuilds } from './list-builds.ts';
import { listServiceBuilds } from './list-service-builds.ts';
import { retryBuild } from './retry-build.ts';
import { sources } from './sources/index.ts';
import { streamBuildLog } from './stream-build-log.ts';

export const builds = {
  list: listBuilds,
  ofService: listServiceBuilds,
  create: createBuild,
  get: getBuild,
  approve: approveBuild,
  cancel: cancelBuild,
  retry: retryBuild,
  log: listBuildLog,
  streamLog: streamBuildLog,
  ...sources,
};
