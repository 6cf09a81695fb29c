/**
 * The states of a build, in the order in which it walks them: queued until its turn on the cluster comes; running from its
 * claim on. The others are final: a newer commit of the same branch supersedes one that is queued.
 */
export const buildStates = ['queued', 'running', 'succeeded', 'failed', 'superseded', 'cancelled'] as const;
export type BuildState = (typeof buildStates)[number];

export const finalBuildStates = ['succeeded', 'failed', 'superseded', 'cancelled'] as const;
export type FinalBuildState = (typeof finalBuildStates)[number];

export function isBuildFinal(state: BuildState): state is FinalBuildState {
  return finalBuildStates.some((one) => one === state);
}

/** The kinds of what is built: a program that is started, or files that are served. */
export const buildKinds = ['image', 'static'] as const;
export type BuildKind = (typeof buildKinds)[number];

export const buildTriggers = ['push', 'tag', 'manual', 'retry', 'change-set', 'upload'] as const;
export type BuildTrigger = (typeof buildTriggers)[number];

export const stepStates = ['running', 'succeeded', 'failed', 'cancelled', 'skipped'] as const;

/** A step of a build, with its times: "fetch", "install", "build", "image", "push". */
export interface BuildStep {
  name: string;
  status: (typeof stepStates)[number];
  startedAt: string;
  finishedAt?: string;
}
