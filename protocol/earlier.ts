import { rolloutMinor } from './version.ts';

/** A stored workload, as it was checked when it was stored. */
interface Sent {
  key: string;
  revision: number;
  workload: Readonly<Record<string, unknown>>;
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
