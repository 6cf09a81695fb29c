import { applyWorkload } from './apply-workload.ts';
import { applyWorkloads } from './apply-workloads.ts';
import { listInstances } from './list-instances.ts';
import { listWorkloads } from './list-workloads.ts';
import { removeWorkload } from './remove-workload.ts';

export const workloads = {
  list: listWorkloads,
  put: applyWorkload,
  putAll: applyWorkloads,
  remove: removeWorkload,
  instances: listInstances,
};
