export interface FileAmount {
  request?: number;
  limit?: number;
}

/** A process as the file gives it. Numbers that are absent, texts and lists that are empty: the file says nothing of them. */
export interface FileProcess {
  name: string;
  kind: 'http' | 'tcp' | 'worker' | 'cron' | '';
  entrypoint: string[];
  cmd: string[];
  port?: number;
  fixedPort?: boolean;
  /** Of a process that is new; of another one people decide how many there are. */
  replicas?: number;
  runAsUser?: number;
  schedule: string;
  checks: { startup: string; readiness: string; liveness: string };
  /** Thousandths of a core. */
  cpu: FileAmount;
  /** Bytes. */
  memory: FileAmount;
  drainSeconds?: number;
  stabilizationSeconds?: number;
  metrics: { enabled?: boolean; path: string; port?: number };
}

/** The meaning of a configuration file for one service: `RepositoryConfigEffective` of the API. */
export interface RepositoryConfigEffective {
  builder: 'auto' | 'dockerfile' | '';
  dockerfile: string;
  target: string;
  buildArgs: Record<string, string>;
  env: Record<string, string>;
  dependsOn: string[];
  releaseCommand: string[];
  releaseCommandTimeoutSeconds?: number;
  hasProcesses: boolean;
  processes: FileProcess[];
  /** Always empty: a file that has mounts is refused. */
  mounts: { destination: string; initialSize: number; processes: string[]; source: string }[];
}

export const emptyEffective: RepositoryConfigEffective = {
  builder: '',
  dockerfile: '',
  target: '',
  buildArgs: {},
  env: {},
  dependsOn: [],
  releaseCommand: [],
  hasProcesses: false,
  processes: [],
  mounts: [],
};

/** A file as it was used for a release: it is part of what the release is. */
export interface FrozenConfig {
  path: string;
  /** Empty: the source was uploaded. */
  commit: string;
  effective: RepositoryConfigEffective;
}
