import { actorStart } from './actor-start.ts';
import { agents } from './agents.ts';
import type { Benchmark } from './benchmark.ts';
import { firstPage } from './console.ts';
import { credentials } from './credentials.ts';
import { members } from './members.ts';
import { memory } from './memory.ts';
import { pageRead, pointRead } from './reads.ts';
import { startUp } from './start-up.ts';

/** Every benchmark there is, in the order in which they run. */
export const benchmarks: readonly Benchmark[] = [
  pointRead,
  pageRead,
  credentials,
  members,
  agents,
  actorStart,
  memory,
  startUp,
  firstPage,
];
