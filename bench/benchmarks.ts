import type { Benchmark } from './engine/benchmark.ts';
import { credentials } from './ground/credentials.ts';
import { actorStart } from './subjects/actor-start.ts';
import { agents } from './subjects/agents.ts';
import { firstPage } from './subjects/console.ts';
import { flood } from './subjects/flood.ts';
import { logView } from './subjects/log-view.ts';
import { logs } from './subjects/logs.ts';
import { members } from './subjects/members.ts';
import { memory } from './subjects/memory.ts';
import { openWorkflows } from './subjects/open-workflows.ts';
import { pageRead, pointRead } from './subjects/reads.ts';
import { startUp } from './subjects/start-up.ts';
import { sweep } from './subjects/sweep.ts';
import { tables } from './subjects/tables.ts';
import { temporalBuild } from './subjects/temporal-build.ts';

/** Every benchmark there is, in the order in which they run. */
export const benchmarks: readonly Benchmark[] = [
  pointRead,
  pageRead,
  credentials,
  members,
  agents,
  flood,
  openWorkflows,
  sweep,
  logs,
  logView,
  tables,
  actorStart,
  memory,
  startUp,
  firstPage,
  temporalBuild,
];
