import type { FrozenReferences } from '../references/frozen-references.ts';
import type { FrozenConfig } from '../repository-config/effective.ts';

export const processKinds = ['http', 'tcp', 'worker', 'cron'] as const;
export const upstreams = ['http1', 'h2c'] as const;
/** What happens when a run of a cron process is due and the one before has not ended. */
export const overlapPolicies = ['skip', 'allow', 'replace'] as const;
export const sourceKinds = ['image', 'git', 'upload'] as const;
export const builders = ['auto', 'dockerfile'] as const;

/** The settings of a process: those of the API's Process that are not its identity. */
export type ProcessSettings = {
  kind: (typeof processKinds)[number];
  command: string[];
  args: string[];
  port?: number;
  /** It listens on `port` whatever PORT says; absent where nobody said so, so that digests are those of before. */
  fixedPort?: boolean;
  replicas: number;
  runAsUser?: number;
  upstream: (typeof upstreams)[number];
  schedule: string;
  timeZone: string;
  overlap: (typeof overlapPolicies)[number];
  /** Paths that are asked over HTTP; empty: a process that listens is asked by a connection, another one not at all. */
  startupPath: string;
  readinessPath: string;
  livenessPath: string;
  drainSeconds: number;
  stabilizationSeconds: number;
  cpuLimitMilli?: number;
  cpuRequestMilli?: number;
  memoryLimitBytes?: number;
  memoryRequestBytes?: number;
  metricsEnabled: boolean;
  metricsPath: string;
  metricsPort?: number;
  nodePrivateNet: boolean;
};

export const defaultProcess: ProcessSettings = {
  kind: 'http',
  command: [],
  args: [],
  port: 8080,
  replicas: 1,
  upstream: 'http1',
  schedule: '',
  timeZone: 'UTC',
  overlap: 'skip',
  startupPath: '',
  readinessPath: '',
  livenessPath: '',
  drainSeconds: 30,
  stabilizationSeconds: 5,
  metricsEnabled: false,
  metricsPath: '/metrics',
  nodePrivateNet: false,
};

/** Where the image of a service comes from. */
export type ServiceSource = {
  kind: (typeof sourceKinds)[number];
  /**
   * `registry.example.com/team/app:1.2`, with a tag or a digest. `:1.2` or `@sha256:…` alone means the service's own
   * repository in the registry of the control plane. A tag is resolved when it is applied.
   */
  imageRepository: string;
  registryCredentialId?: string;
  builder: (typeof builders)[number];
  context: string;
  dockerfile: string;
  target: string;
  gitUrl: string;
  repository: string;
  gitConnectionId?: string;
  /** Built by tags that match it, and not by pushes of a branch; absent otherwise, so that digests are those of before. */
  trigger?: { tagTemplate: string };
  /** Of its builds, within those of their cluster; absent where none is set, so that digests are those of before. */
  buildLimits?: { memoryBytes?: number; diskBytes?: number; seconds?: number };
};

export const noSource: ServiceSource = {
  kind: 'image',
  imageRepository: '',
  builder: 'auto',
  context: '',
  dockerfile: '',
  target: '',
  gitUrl: '',
  repository: '',
};

/** Settings of a service that are the same for all of its processes. */
export type ServiceDefinition = {
  source: ServiceSource;
  releaseCommand: string[];
  releaseCommandTimeoutSeconds: number;
  dependsOn: string[];
  files: { path: string; variable: string }[];
};

export const emptyDefinition: ServiceDefinition = {
  source: noSource,
  releaseCommand: [],
  releaseCommandTimeoutSeconds: 600,
  dependsOn: [],
  files: [],
};

/** A volume of a process: a directory that outlives its instances. */
export type VolumeSettings = {
  name: string;
  mountPath: string;
  sizeBytes: number;
  storageClass: string;
};

/** A process as an environment has it. */
export type PlacedProcess = ProcessSettings & {
  name: string;
  /** By the id of the volume; absent where there are none, so that digests are those of before there were volumes. */
  volumes?: Record<string, VolumeSettings>;
};

/** The settings of a service in an environment. */
export type ServiceSettings = ServiceDefinition & {
  /** By the id of the process. */
  processes: Record<string, PlacedProcess>;
};

/** A release, without the values of its secret variables. */
export type ReleaseContent = {
  settings: ServiceSettings;
  image: {
    /** As an agent pulls it; of the control plane's own registry without the host, which each agent knows. */
    repository: string;
    digest: string;
    own: boolean;
    registryCredentialId?: string;
  };
  variables: Record<string, string>;
  /** Absent where no variable has references, so that digests are those of before there were any. */
  references?: FrozenReferences;
  /** The configuration file of the source of its image, over the settings; absent where there is none, as digests are those of before. */
  file?: FrozenConfig;
};
