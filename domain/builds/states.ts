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

/** A build that is not over, as far as turns need to know it. */
export interface OpenBuild {
  id: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  running: boolean;
  /** In milliseconds. */
  createdAt: number;
}

/** So many builds run on a cluster at once. */
export const buildsAtOnce = 2;

/**
 * The queued builds whose turn it is, in the order in which they get it. A free place goes to the project with the fewest
 * running builds, then to the oldest build: one project's forty builds hold up another's only until a place is free. A service builds one
 * at a time in an environment, so that the last one asked for is the last one deployed.
 */
export function turnsOf(open: readonly OpenBuild[], atOnce = buildsAtOnce): string[] {
  const running = open.filter((build) => build.running);
  const waiting = open
    .filter((build) => !build.running)
    .toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
  const perProject = new Map<string, number>();
  const busy = new Set<string>();
  const take = ({ projectId, environmentId, serviceId }: OpenBuild) => {
    perProject.set(projectId, (perProject.get(projectId) ?? 0) + 1);
    busy.add(`${environmentId} ${serviceId}`);
  };
  for (const build of running) take(build);
  const turns: string[] = [];
  while (running.length + turns.length < atOnce) {
    const free = waiting.filter(
      ({ id, environmentId, serviceId }) => !turns.includes(id) && !busy.has(`${environmentId} ${serviceId}`),
    );
    const fewest = Math.min(...free.map(({ projectId }) => perProject.get(projectId) ?? 0));
    const next = free.find(({ projectId }) => (perProject.get(projectId) ?? 0) === fewest);
    if (next === undefined) break;
    take(next);
    turns.push(next.id);
  }
  return turns;
}

/** The sentence for a build whose turn has not come. One that comes before it may have its turn and not run yet. */
export function waitsFor(open: readonly OpenBuild[], id: string, atOnce = buildsAtOnce): string {
  const own = open.find((build) => build.id === id);
  const turns = turnsOf(open, atOnce);
  const ahead = open.filter((build) => build.running || turns.includes(build.id));
  const before = ahead.find(
    ({ serviceId, environmentId }) => serviceId === own?.serviceId && environmentId === own.environmentId,
  );
  if (before !== undefined)
    return `Waits for the build of this service that ${before.running ? 'is running here' : 'comes before it'}.`;
  const all = ahead.every(({ running }) => running) ? 'running on the cluster' : 'before it on the cluster';
  return ahead.length === 1
    ? `Waits for another build that is ${all}.`
    : `Waits for one of ${ahead.length} builds that are ${all}.`;
}
