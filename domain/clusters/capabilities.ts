/** Operations of ours that a cluster can serve, and the features it has for them. */
export interface ClusterCapabilities {
  buildOptions: boolean;
  buildRegistry: boolean;
  builderAuto: boolean;
  certificateSecrets: boolean;
  dbOperator: boolean;
  dbOperatorBackupPlugin: boolean;
  databaseRestore: boolean;
  edgeFronting: boolean;
  fileMounts: boolean;
  fixedPorts: boolean;
  heldSpecs: boolean;
  heldSuspend: boolean;
  kindMetrics: boolean;
  metricsServer: boolean;
  nodePrivateNet: boolean;
  processArgs: boolean;
  autoBuilds: boolean;
  releaseCommand: boolean;
  privateNet: boolean;
  ingressController: boolean;
  trafficMetrics: boolean;
  defaultStorageClass: string;
  privateNetEgressProxyGroup: string;
  edgeIngressIPs: string[];
  expandableStorageClasses: string[];
  ingressIPs: string[];
  storageClasses: string[];
  ingressCertResolvers: string[];
}

/** Facts that an agent reported about its machine and that decide its capabilities. */
export interface MachineFacts {
  driver: 'process' | 'docker' | 'kubernetes';
  holds: Readonly<Record<string, { holds: boolean; why?: string | undefined } | undefined>>;
  ingress?: { port: number; addresses: readonly string[] } | undefined;
  releaseCommand?: boolean | undefined;
  files?: boolean | undefined;
}

const none: ClusterCapabilities = {
  buildOptions: false,
  buildRegistry: false,
  builderAuto: false,
  certificateSecrets: false,
  dbOperator: false,
  dbOperatorBackupPlugin: false,
  databaseRestore: false,
  edgeFronting: false,
  fileMounts: false,
  fixedPorts: false,
  heldSpecs: false,
  heldSuspend: false,
  kindMetrics: false,
  metricsServer: false,
  nodePrivateNet: false,
  processArgs: false,
  autoBuilds: false,
  releaseCommand: false,
  privateNet: false,
  ingressController: false,
  trafficMetrics: false,
  defaultStorageClass: '',
  privateNetEgressProxyGroup: '',
  edgeIngressIPs: [],
  expandableStorageClasses: [],
  ingressIPs: [],
  storageClasses: [],
  ingressCertResolvers: [],
};

/**
 * The capabilities of a cluster with these facts; of one whose agent was never heard of, none. A capability is true only
 * where an operation that exists today uses it.
 */
export function capabilitiesOf(facts: MachineFacts | undefined): ClusterCapabilities {
  if (facts === undefined) return none;
  const runsProcesses = facts.driver === 'process' || facts.driver === 'docker';
  const ingress = runsProcesses ? facts.ingress : undefined;
  return {
    ...none,
    processArgs: runsProcesses,
    autoBuilds: runsProcesses && facts.holds.builds?.holds === true,
    fileMounts: runsProcesses && facts.files === true,
    fixedPorts: runsProcesses && facts.holds.fixedPorts?.holds === true,
    releaseCommand: runsProcesses && facts.releaseCommand === true,
    ingressController: ingress !== undefined,
    trafficMetrics: ingress !== undefined,
    ingressIPs: [...(ingress?.addresses ?? [])],
  };
}

const promises: readonly { name: string; without: string }[] = [
  { name: 'isolation', without: 'Nothing separates what runs here from the machine and from each other' },
  { name: 'ownUser', without: 'What runs here runs as the user of the agent' },
  { name: 'memoryLimit', without: 'Limits of memory do not hold' },
  { name: 'cpuLimit', without: 'Limits of CPU time do not hold' },
  { name: 'builds', without: 'No images are built here' },
  { name: 'buildLimits', without: 'Builds may use all memory, processes and disk of the machine' },
];

/** Warnings before something is put on the cluster: one sentence for each missing capability. */
export function notesOf(facts: MachineFacts | undefined): string[] {
  if (facts === undefined) return [];
  return promises.flatMap(({ name, without }) => {
    const said = facts.holds[name];
    if (said === undefined || said.holds) return [];
    const why = said.why === undefined ? '' : `: ${said.why.replace(/\.$/, '')}`;
    const consequence = name === 'isolation' ? ' Put only what you trust on it.' : '';
    return [`${without}${why}.${consequence}`];
  });
}
