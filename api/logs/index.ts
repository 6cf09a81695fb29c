import { listLogLines } from './list-log-lines.ts';
import { listRuns } from './list-runs.ts';
import { streamClusterLogs } from './stream-cluster-logs.ts';
import { streamEnvironmentLogs } from './stream-environment-logs.ts';
import { streamLogs } from './stream-logs.ts';

export const logs = {
  logLines: listLogLines,
  logs: streamLogs,
  runs: listRuns,
  logsOfCluster: streamClusterLogs,
  logsOfEnvironment: streamEnvironmentLogs,
};
