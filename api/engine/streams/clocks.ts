/** How long things last on a stream, in milliseconds. The specification fixes all but the last two; tests change them. */
export interface Clocks {
  heartbeat: { organization: number; other: number };
  lifetime: { organization: number; other: number };
  recheck: number;
  /** Between two reads of the deployments that streams follow, whatever is heard of them. */
  reread: number;
  /** For an agent to begin with a log: one that is in contact does so long before. */
  logBegins: number;
  /** Between two hints on one stream of a thing that changes with every event, at least; at most twice as long. */
  hintPace: number;
}

export const specifiedClocks: Clocks = {
  heartbeat: { organization: 15_000, other: 5_000 },
  lifetime: { organization: 30 * 60_000, other: 15 * 60_000 },
  recheck: 30_000,
  reread: 1_000,
  logBegins: 30_000,
  hintPace: 1_000,
};
