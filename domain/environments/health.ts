export const serviceHealths = ['healthy', 'degraded', 'down', 'suspended', 'unknown', 'none'] as const;
export type ServiceHealth = (typeof serviceHealths)[number];

/** A process as it should run. */
export interface WantedProcess {
  name: string;
  kind: string;
  replicas: number;
}

/** An instance as an agent told of it. */
export interface ToldInstance {
  process: string;
  state: string;
}

export interface Replicas {
  desired: number;
  ready: number;
}

/** Replicas of all processes but cron ones, which run only now and then. Instances beyond those that should run count once. */
export function replicasOf(processes: readonly WantedProcess[], instances: readonly ToldInstance[]): Replicas {
  const counted = processes.filter(({ kind }) => kind !== 'cron');
  const ready = counted.map(({ name, kind, replicas }) => {
    const well = instances.filter(({ process, state }) => process === name && isWell(kind, state));
    return Math.min(well.length, replicas);
  });
  return { desired: sum(counted.map(({ replicas }) => replicas)), ready: sum(ready) };
}

/** A worker that is asked nothing is never more than running. */
function isWell(kind: string, state: string): boolean {
  return state === 'ready' || (kind === 'worker' && state === 'running');
}

/** The facts that decide the health of a service in an environment. */
export interface HealthFacts {
  suspended: boolean;
  /** Whether a release of it is live. */
  live: boolean;
  inContact: boolean;
  /** Whether the agent has told of it. */
  observed: boolean;
  error: boolean;
  replicas: Replicas;
}

/** `none`: nothing of it is live. `unknown`: the cluster is out of contact, or has not told of it yet. */
export function healthOf({ suspended, live, inContact, observed, error, replicas }: HealthFacts): ServiceHealth {
  if (suspended) return 'suspended';
  if (!live) return 'none';
  if (!inContact || !observed) return 'unknown';
  if (replicas.desired > 0 && replicas.ready === 0) return 'down';
  return error || replicas.ready < replicas.desired ? 'degraded' : 'healthy';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
