import type { ClusterAnswer } from './cluster-status.tsx';

type Capabilities = ClusterAnswer['capabilities'];
type Flag = { [Name in keyof Capabilities]: Capabilities[Name] extends boolean ? Name : never }[keyof Capabilities];

/** Each capability in the words of somebody who deploys to the cluster. */
const words: Record<Flag, string> = {
  ingressController: 'Route host names to workloads',
  trafficMetrics: 'Measure requests and responses',
  processArgs: 'Run processes with commands and arguments of their own',
  autoBuilds: 'Build images automatically',
  buildOptions: 'Build images with options',
  buildRegistry: 'Keep built images in a registry of its own',
  builderAuto: 'Choose the builder of an image automatically',
  certificateSecrets: 'Use your own certificates',
  dbOperator: 'Run databases with an operator',
  dbOperatorBackupPlugin: 'Back up databases with the operator’s plugin',
  databaseRestore: 'Restore databases from a backup',
  edgeFronting: 'Run behind an edge',
  fileMounts: 'Mount files into processes',
  fixedPorts: 'Run programs that listen on a port of their own choice',
  heldSpecs: 'Hold a change back until it is released',
  heldSuspend: 'Suspend a held change',
  kindMetrics: 'Report metrics by kind of process',
  metricsServer: 'Report the CPU time and memory of instances',
  nodePrivateNet: 'Reach private networks from its nodes',
  privateNet: 'Join a private network',
  releaseCommand: 'Run a command before each release',
};

/** Capabilities of this cluster, and those it lacks, in words. */
export function capabilityWords(capabilities: Capabilities): { can: string[]; cannot: string[] } {
  const names = Object.keys(words) as Flag[];
  return {
    can: names.filter((name) => capabilities[name]).map((name) => words[name]),
    cannot: names.filter((name) => !capabilities[name]).map((name) => words[name]),
  };
}

/** The reason why the others are missing. */
export function whyNot(driver: string): string {
  if (driver === 'process') return 'Not available on a cluster whose driver starts processes on the machine itself.';
  if (driver === 'docker') return 'Not available on a cluster whose driver starts containers with a Docker engine.';
  return `Not available on a cluster whose driver is ${driver}.`;
}
