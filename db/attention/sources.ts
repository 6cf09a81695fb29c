import { brokenUpdates } from '../agent-updates/agent-updates.ts';
import { brokenBuilds, buildVariablesTold } from '../builds/build-notices.ts';
import { brokenClusters } from '../clusters/broken-clusters.ts';
import { brokenDeployments } from '../deployments/broken-deployments.ts';
import { loosenedGuards } from '../guards/loosened-guards.ts';
import { brokenChannels } from '../notification-channels/deliveries.ts';
import { stuckWorkflows } from '../workflows/stuck-workflows.ts';
import { brokenWorkloads } from '../workloads/broken-workloads.ts';
import type { BrokenSource } from './broken.ts';

/** Everything that can be broken: a subject registers it here. */
export const brokenSources: readonly BrokenSource[] = [
  ...brokenClusters,
  ...brokenWorkloads,
  ...brokenDeployments,
  ...loosenedGuards,
  ...brokenBuilds,
  ...buildVariablesTold,
  ...brokenUpdates,
  ...brokenChannels,
  ...stuckWorkflows,
];
