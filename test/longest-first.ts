import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longer than a minute by itself must not be what everybody waits for at the end. */
const long = /\/test\/(?:console\/|start\.|kill-matrix\.|second-machine\.|outlive\.)/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [
      ...sorted.filter(({ moduleId }) => long.test(moduleId)),
      ...sorted.filter(({ moduleId }) => !long.test(moduleId)),
    ];
  }
}
