import type { DeploymentKind, DeploymentStage } from './states.ts';
import { deploymentStages } from './states.ts';

/** How it failed: by its exit, by its time, before it started, or nobody knows whether it ran. */
export const releaseCommandFailures = ['exit', 'timed-out', 'not-started', 'unknown'] as const;
export type ReleaseCommandFailure = (typeof releaseCommandFailures)[number];

/** Kinds that bring a release which its place has not had: the others put back, or restart, one whose command ran before. */
const bringing: readonly DeploymentKind[] = ['deploy', 'change-set', 'promote'];

interface CommandRequest {
  /** The kind of the first of its line, which is no rerun. */
  as: DeploymentKind;
  fromStage: DeploymentStage | undefined;
  /** The release runs as the live one does: nothing but replicas differs. */
  isLive: boolean;
}

/** Whether a deployment runs the release command of its release. */
export function runsReleaseCommand({ as, fromStage, isLive }: CommandRequest): boolean {
  return bringing.includes(as) && !isLive && !isPastReleaseCommand(fromStage);
}

/** A rerun from a later stage leaves the release command out. */
export function isPastReleaseCommand(fromStage: DeploymentStage | undefined): boolean {
  if (fromStage === undefined) return false;
  return deploymentStages.indexOf(fromStage) > deploymentStages.indexOf('release-command');
}

/** How a deployment ends that was cancelled while its release command was to run, or ran. */
export function interruptedSentence(begun: boolean): string {
  const when = begun ? 'while its release command ran' : 'just before its release command, which may have begun';
  return `Cancelled ${when}. The command is ended: part of it may have been done. Look at what it did, then rerun the deployment with it or without it.`;
}
