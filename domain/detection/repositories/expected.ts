import type { Expected } from './expectation.ts';
import { monorepos, next, nodeServers, sites } from './expected-node.ts';
import { compiled, java, others, python } from './expected-others.ts';

export const expected: readonly Expected[] = [
  ...next,
  ...sites,
  ...nodeServers,
  ...monorepos,
  ...python,
  ...compiled,
  ...java,
  ...others,
];
