import { releaseCommandMinor, rolloutMinor } from './version.ts';

/** A stored workload, as it was checked when it was stored. */
interface Sent {
  key: string;
  revision: number;
  workload: Readonly<Record<string, unknown>>;
}

const needsUpdate =
  'The agent is too old for the release command of this deployment: update it, or cancel the deployment.';

/** A release whose command would not be run must not start: it is named as broken instead. */
export function withoutReleaseCommands<Slice extends Sent>(minor: number, slices: readonly Slice[]) {
  const isUnknown = ({ workload: { rollout } }: Sent) =>
    minor < releaseCommandMinor && Object(rollout).releaseCommand !== undefined;
  return {
    slices: slices.filter((slice) => !isUnknown(slice)),
    broken: slices.filter(isUnknown).map(({ key, revision }) => ({ key, revision, error: needsUpdate })),
  };
}

/** An agent refuses a workload with fields of later versions: it gets those that it knows, and rolls replica by replica. */
export function understoodBy<Slice extends Sent>(minor: number, slices: readonly Slice[]): Slice[] {
  if (minor >= rolloutMinor) return [...slices];
  return slices.map((slice) => ({ ...slice, workload: earlier(slice.workload) }));
}

function earlier({ rollout: _rollout, network: _network, processes, ...workload }: Sent['workload']) {
  return { ...workload, ...(Array.isArray(processes) ? { processes: processes.map(earlierProcess) } : {}) };
}

function earlierProcess(process: unknown): unknown {
  if (typeof process !== 'object' || process === null) return process;
  const { internalPort: _port, overlap: _overlap, ...known } = process as Readonly<Record<string, unknown>>;
  const { mounts } = known;
  return Array.isArray(mounts) ? { ...known, mounts: mounts.map(({ volume, path }) => ({ volume, path })) } : known;
}
