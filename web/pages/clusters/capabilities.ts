import type { ClusterAnswer } from './cluster-status.tsx';

type Capabilities = ClusterAnswer['capabilities'];
type Flag = { [Name in keyof Capabilities]: Capabilities[Name] extends boolean ? Name : never }[keyof Capabilities];

/** What each capability is to somebody who wants to put something on the cluster. */
const words: Record<Flag, string> = {
  ingressController: 'Lead host names to what runs here',
  trafficMetrics: 'Measure requests and answers',
  processArgs: 'Run processes with commands and arguments of their own',
  autoBuilds: 'Build images by itself',
  buildOptions: 'Build images with options',
  buildRegistry: 'Keep built images in a registry of its own',
  builderAuto: 'Choose the builder of an image by itself',
  certificateSecrets: 'Use own certificates',
  dbOperator: 'Run databases by an operator',
  dbOperatorBackupPlugin: 'Back up databases by the operator’s plugin',
  databaseRestore: 'Restore databases from a backup',
  edgeFronting: 'Stand behind an edge',
  fileMounts: 'Mount files into processes',
  heldSpecs: 'Hold a change back until it is released',
  heldSuspend: 'Suspend what is held back',
  kindMetrics: 'Tell metrics by kind of process',
  metricsServer: 'Tell how much CPU time and memory instances use',
  nodePrivateNet: 'Reach private networks from its nodes',
  privateNet: 'Join a private network',
  releaseCommand: 'Run a command before each release',
};

/** What this cluster can do and what it cannot, each in words. */
export function capabilityWords(capabilities: Capabilities): { can: string[]; cannot: string[] } {
  const names = Object.keys(words) as Flag[];
  return {
    can: names.filter((name) => capabilities[name]).map((name) => words[name]),
    cannot: names.filter((name) => !capabilities[name]).map((name) => words[name]),
  };
}

/** Why the rest is not there. */
export function whyNot(driver: string): string {
  if (driver === 'process')
    return 'Nothing of Ballast does these on a cluster whose driver starts processes on the machine itself.';
  if (driver === 'docker')
    return 'Nothing of Ballast does these on a cluster whose driver starts containers with a Docker engine.';
  return `Nothing of Ballast does these on a cluster whose driver is ${driver}.`;
}
