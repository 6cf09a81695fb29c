import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By measurement. Begun last, one of these would run alone when all others have ended. */
const longest = [
  'start',
  'outlive',
  'second-machine',
  'stories',
  'held-ports',
  'scale-out',
  'first-sign-in',
  'accessible',
  'kill-matrix',
];

/** Files that take minutes begin first, also where no earlier run has left times for Vitest to go by. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isWhole = ({ project }: TestSpecification): boolean => project.name === 'installation';
    const whole = sorted.filter(isWhole).toSorted((one, other) => rank(one) - rank(other));
    return [...sorted.filter((file) => !isWhole(file)), ...whole];
  }
}

function rank({ moduleId }: TestSpecification): number {
  const found = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return found === -1 ? longest.length : found;
}
