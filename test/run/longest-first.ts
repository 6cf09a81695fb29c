import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By measurement. Begun last, one of these would run alone when all others have ended. */
const longest = [
  'console/accessible',
  'console/stories',
  'console/subjects',
  'scenarios/first-sign-in',
  'scenarios/second-machine',
  'scenarios/start',
  'scenarios/outlive',
  'engine/sweep-answers',
  'scenarios/deployment-kills',
  'scenarios/kill-matrix',
  'scenarios/observing',
  'agent/update/update',
  'keep/keeper',
  'duties/reconciler',
  'socket/holder',
  'identity/pages/sign-in',
  'cluster/cluster',
  'runtime/ground',
  'program/agent',
  'engine/sweep-access',
  'user/users',
];
/** These need a Docker engine, and would wait for the browsers of the others. */
const afterBrowsers = ['scenarios/docker-driver', 'scenarios/shipped-agent'];
/** The files of a project run together, so that a worker need not load the world for each of them. */
const projects = ['pure', 'web', 'installation', 'rooms'];

/** Long files begin first, also where no earlier run has left times for Vitest to go by, and short ones fill the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => place(one) - place(other) || rank(one) - rank(other));
  }
}

function place({ project }: TestSpecification): number {
  return projects.indexOf(project.name);
}

function rank({ moduleId }: TestSpecification): number {
  const isOf = (name: string) => moduleId.endsWith(`/${name}.test.ts`);
  if (afterBrowsers.some(isOf)) return longest.length + 1;
  const found = longest.findIndex(isOf);
  return found === -1 ? longest.length : found;
}
