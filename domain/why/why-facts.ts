import type { DeploymentKind, DeploymentState, ShownBlocker, StageTime } from '../deployments/states.ts';

/** All that is known of why a deployment is where it is. */
export interface WhyFacts {
  id: string;
  projectName: string;
  environmentName: string;
  serviceName: string;
  releaseNumber: number;
  kind: DeploymentKind;
  state: DeploymentState;
  /** The code of what it waits for or failed by; empty: nothing. */
  blocker: ShownBlocker | '';
  /** The sentence of that. */
  message: string;
  /** Times as ISO 8601. */
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
  /** Since it waits for what it waits for. */
  blockedAt?: string;
  stages: readonly StageTime[];
  requestedBy: string;
  cancelRequestedAt?: string;
  /** The instance by which it failed. */
  failure?: { process: string; instance: string; end: string; lines: readonly string[] };
  approval?: { id: string; deciders: readonly string[]; decidedBy: string; decidedAt?: string; expiresAt: string };
  cluster?: { name: string; connected: boolean; heardAt?: string };
  /** Deployments that hold what it waits for: its place, or the slots of the project. */
  ahead: readonly { id: string; serviceName: string; releaseNumber: number; state: DeploymentState }[];
  slots: number;
  /** The release that serves there meanwhile. */
  liveRelease?: number;
  /** How often that release was deployed there, this time included. */
  attempts: number;
}
