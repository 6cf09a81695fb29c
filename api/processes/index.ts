import { changeProcess } from './change-process.ts';
import { createProcess } from './create-process.ts';
import { deleteProcess } from './delete-process.ts';
import { getProcess } from './get-process.ts';
import { listProcesses } from './list-processes.ts';
import { listProcessRuns } from './list-runs.ts';
import { restartProcess } from './restart-process.ts';
import { runProcess } from './run-process.ts';

export const processes = {
  list: listProcesses,
  create: createProcess,
  get: getProcess,
  change: changeProcess,
  delete: deleteProcess,
  restart: restartProcess,
  run: runProcess,
  runs: listProcessRuns,
};
