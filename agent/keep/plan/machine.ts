import type { AnswerFault } from '../../../domain/deployments/answer-faults.ts';
import type { DesiredSlice, Seen } from '../observe/seen.ts';
import type { Schedule } from './plan-cron.ts';
import type { CrashLoop } from './plan-process.ts';
import type { RolloutRecord } from './rollout-record.ts';

export interface Machine {
  wanted: ReadonlyMap<string, DesiredSlice>;
  seen: readonly Seen[];
  schedules: ReadonlyMap<string, Schedule>;
  /** By slice and process: the last restart that was asked for. */
  restarts: ReadonlyMap<string, string>;
  /** By slice. */
  rollouts: ReadonlyMap<string, RolloutRecord>;
  /** The last lines of an instance's log; nothing before they were read. */
  lastLines(instance: string): readonly string[] | undefined;
  /** The faults that a visit found, by its id; nothing before it is over. */
  visited(visit: string): readonly AnswerFault[] | undefined;
  /** The routes of the plan before this one are where requests come in. */
  routed: boolean;
  /** Clients have had the time to forget the names of the plan before. */
  forgotten: boolean;
  /** Names the agent's journal. */
  journal: string;
  /** The record of this slice's rollout cannot be read. */
  isForgotten(key: string): boolean;
  /** The data of a volume that it mounts are being replaced, or packed: it ends, and does not begin. */
  standsStill(key: string, process: Pick<Seen['process'], 'mounts'>): boolean;
  ingress: boolean;
  now: number;
}

export interface SlicePlan {
  inEffect: boolean;
  error?: string;
  processes: Map<string, { inEffect: boolean; error?: string; crashLoop?: CrashLoop }>;
  /** Instances that no address leads to, although they may be ready. */
  apart?: ReadonlySet<string>;
}
