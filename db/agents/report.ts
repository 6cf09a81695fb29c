import type { ReportedRollout } from '../deployments/told-rollout.ts';

/** The part of `report` in protocol/observed.ts that this room stores, already validated. */
export interface Report {
  number: number;
  full: boolean;
  appliedRevision: number;
  error?: string | undefined;
  disk?: { availableBytes: number; capacityBytes: number; pressure: boolean } | undefined;
  slices: readonly {
    key: string;
    appliedRevision: number;
    revision?: number | undefined;
    error?: string | undefined;
    crashLoops?: readonly CrashLoop[] | undefined;
    instances: readonly object[];
    volumes: readonly object[];
    traffic: readonly object[];
    rollout?: ReportedRollout | undefined;
  }[];
  removed: readonly string[];
}

export interface CrashLoop {
  process: string;
  instance: string;
  restarts: number;
  seconds: number;
  how: string;
}

/** The longest text of a failure that is stored. */
export const longestTrouble = 1_000;
