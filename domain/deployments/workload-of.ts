import { isId } from '../ids.ts';
import type { PlacedProcess, ProcessSettings, ReleaseContent } from '../services/settings.ts';
import { volumeName, volumesOf } from '../services/volumes.ts';

/** `releaseCommand` of the agents' protocol. */
interface ReleaseCommand {
  command: string[];
  timeoutSeconds: number;
  /** Only the agent with this journal knows whether it ran. */
  journal?: string;
}

/** The release to roll, and all that the cluster's desired state says beside its content. */
export interface ToRoll {
  content: ReleaseContent;
  /** The values of its secret variables. */
  secrets: Readonly<Record<string, string>>;
  /** The name of its instances. */
  runsAs: string;
  /** The sign-in of an outside registry, where the image needs one. */
  credential?: { username: string; password: string } | undefined;
  rollout: { id: string; digest: string; releaseCommand?: ReleaseCommand | undefined };
  network: { environment: string; aliases: string[] };
  /** The ports at which other services reach its processes, where names do not lead to them. */
  ports: ReadonlyMap<string, number>;
}

/** How a check is asked, unless it says otherwise. */
const timing = { everySeconds: 5, timeoutSeconds: 2, failures: 3 };
const readyWithinSeconds = 300;

/** The desired state of a service in an environment on its cluster, in the form of the agents' protocol. */
export function workloadOf({ content, secrets, runsAs, credential, rollout, network, ports }: ToRoll) {
  const { repository, digest, own } = content.image;
  return {
    release: runsAs,
    image: own
      ? { own: repository, digest }
      : { repository, digest, ...(credential === undefined ? {} : { credential }) },
    processes: Object.values(content.settings.processes)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map((process) => processOf(process, ports.get(process.name))),
    environment: { ...content.variables, ...secrets },
    volumes: Object.values(content.settings.processes)
      .flatMap(volumesOf)
      .map(({ id, sizeBytes }) => ({ name: volumeName(id), sizeBytes }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    // Agents from before there were files refuse the field.
    ...(content.settings.files.length === 0 ? {} : { files: content.settings.files }),
    routes: [],
    rollout,
    network,
  };
}

/** The same place with nothing running: its addresses stay, its instances end. */
export function emptyWorkload(roll: ToRoll) {
  return { ...workloadOf(roll), processes: [], environment: {} };
}

/** The same desired state with nothing running and no schedule in effect: volumes, addresses and names stay. */
export function atRest<Process extends { replicas: number }, Workload extends { processes: readonly Process[] }>(
  workload: Workload,
) {
  return { ...workload, processes: workload.processes.map((process) => ({ ...process, replicas: 0 })) };
}

/** The workload of a release that is live while its service is suspended. */
export function suspendedWorkload(roll: ToRoll) {
  return atRest(workloadOf(roll));
}

/** Whether other services can reach it. */
export function isListening({ kind, port }: ProcessSettings): boolean {
  return (kind === 'http' || kind === 'tcp') && port !== undefined;
}

function processOf(settings: PlacedProcess, internalPort: number | undefined) {
  const { name, kind, command, args, port, replicas, runAsUser, upstream, cpuLimitMilli, memoryLimitBytes } = settings;
  const listens = kind === 'http' || kind === 'tcp';
  return {
    ...{ name, kind, command, args, replicas, upstream },
    ...(port === undefined || kind === 'cron' ? {} : { port }),
    // Agents from before there were fixed ports refuse the field.
    ...(settings.fixedPort === true && port !== undefined && kind !== 'cron' ? { fixedPort: true } : {}),
    ...(internalPort === undefined ? {} : { internalPort }),
    ...(kind === 'cron' ? { schedule: settings.schedule } : {}),
    timeZone: settings.timeZone,
    overlap: settings.overlap,
    checks: listens ? checksOf(settings) : {},
    drainSeconds: settings.drainSeconds,
    stabilizationSeconds: settings.stabilizationSeconds,
    readyWithinSeconds,
    ...(cpuLimitMilli === undefined ? {} : { cpuLimitMilli }),
    ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }),
    ...(runAsUser === undefined ? {} : { runAsUser }),
    mounts: volumesOf(settings).map(({ id, mountPath, name: of }) => ({
      volume: volumeName(id),
      path: mountPath,
      name: of,
    })),
  };
}

function checksOf({ startupPath, readinessPath, livenessPath }: ProcessSettings) {
  const check = (path: string) => ({ kind: 'http' as const, path, ...timing });
  return {
    ...(startupPath === '' ? {} : { startup: check(startupPath) }),
    ...(readinessPath === '' ? {} : { readiness: check(readinessPath) }),
    ...(livenessPath === '' ? {} : { liveness: check(livenessPath) }),
  };
}

/** The key of a service in an environment in its cluster's desired state. */
export function rolloutKey(environmentId: string, serviceId: string): string {
  return `env/${environmentId}/${serviceId}`;
}

/** The service and environment that such a key names; undefined for workloads of other kinds. */
export function placeOfKey(key: string): { environmentId: string; serviceId: string } | undefined {
  const [kind, environmentId = '', serviceId = '', more] = key.split('/');
  if (kind !== 'env' || more !== undefined || !isId(environmentId) || !isId(serviceId)) return undefined;
  return { environmentId, serviceId };
}
