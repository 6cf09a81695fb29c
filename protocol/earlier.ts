import { filesMinor, fixedPortMinor, releaseCommandMinor, rolloutMinor } from './version.ts';

/** A stored workload, as it was checked when it was stored. */
interface Sent {
  key: string;
  revision: number;
  workload: Readonly<Record<string, unknown>>;
}

const commandNeedsUpdate =
  'The agent is too old for the release command of this deployment: update it, or cancel the deployment.';
const fixedPortNeedsUpdate =
  'The agent is too old for the fixed port of this release: update it, or cancel the deployment.';
const filesNeedUpdate = 'The agent is too old for the files of this release: update it, or cancel the deployment.';

/** A release whose command would not be run, whose files would be missing or whose port nobody reached must not start: it is named as broken. */
export function withoutUnknown<Slice extends Sent>(minor: number, slices: readonly Slice[]) {
  const errorOf = ({ workload: { rollout, files, processes } }: Sent) => {
    if (minor < releaseCommandMinor && Object(rollout).releaseCommand !== undefined) return commandNeedsUpdate;
    if (minor < fixedPortMinor && isFixed(processes)) return fixedPortNeedsUpdate;
    return minor < filesMinor && files !== undefined ? filesNeedUpdate : undefined;
  };
  return {
    slices: slices.filter((slice) => errorOf(slice) === undefined),
    broken: slices.flatMap((slice) => {
      const error = errorOf(slice);
      return error === undefined ? [] : [{ key: slice.key, revision: slice.revision, error }];
    }),
  };
}

function isFixed(processes: unknown): boolean {
  return Array.isArray(processes) && processes.some((process) => Object(process).fixedPort === true);
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
