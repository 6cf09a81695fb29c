import type { Benchmark } from './engine/benchmark.ts';
import { credentials } from './ground/credentials.ts';
import { actorStart } from './subjects/actor-start.ts';
import { agents } from './subjects/agents.ts';
import { backup } from './subjects/backup.ts';
import { buildLog } from './subjects/build-log/build-log.ts';
import { commandLine } from './subjects/command-line/start.ts';
import { upload } from './subjects/command-line/upload.ts';
import { canvas } from './subjects/console/canvas.ts';
import { firstPage } from './subjects/console/first-page.ts';
import { logView } from './subjects/console/log-view.ts';
import { slowLine } from './subjects/console/slow-line.ts';
import { tables } from './subjects/console/tables.ts';
import { deploys } from './subjects/delivery/deploy.ts';
import { deployments } from './subjects/delivery/deployments.ts';
import { environment } from './subjects/delivery/environment.ts';
import { flood } from './subjects/flood.ts';
import { history } from './subjects/history/history.ts';
import { streams } from './subjects/history/streams.ts';
import { inbox } from './subjects/inbox/inbox.ts';
import { logs } from './subjects/logs.ts';
import { members } from './subjects/members.ts';
import { memory } from './subjects/memory.ts';
import { openWorkflows } from './subjects/open-workflows.ts';
import { pageRead, pointRead, searchRead } from './subjects/reads.ts';
import { registry } from './subjects/registry.ts';
import { startUp } from './subjects/start-up.ts';
import { sweep } from './subjects/sweep.ts';
import { temporalBuild } from './subjects/temporal-build.ts';
import { workerStart } from './subjects/worker-start.ts';

/** Every benchmark there is, in the order in which they run. */
export const benchmarks: readonly Benchmark[] = [
  pointRead,
  pageRead,
  searchRead,
  environment,
  history,
  streams,
  credentials,
  members,
  agents,
  flood,
  registry,
  upload,
  backup,
  commandLine,
  inbox,
  openWorkflows,
  sweep,
  logs,
  buildLog,
  logView,
  tables,
  canvas,
  actorStart,
  deployments,
  memory,
  startUp,
  workerStart,
  ...deploys,
  firstPage,
  slowLine,
  temporalBuild,
];
