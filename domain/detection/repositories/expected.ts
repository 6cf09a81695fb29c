import type { Expected } from './expectation.ts';
import { monorepos, next, nodeServers, sites } from './expected-node.ts';
import { compiled, java, others, python } from './expected-others.ts';
import { languages, php, selfHosted } from './expected-self-hosted.ts';

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

/** Forty more, of kinds that people host themselves. */
export const expectedOfForty: readonly Expected[] = [...php, ...languages, ...selfHosted];
