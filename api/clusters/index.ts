import { changeCluster } from './change-cluster.ts';
import { createCluster } from './create-cluster.ts';
import { createEnrollmentToken } from './create-enrollment-token.ts';
import { installDbOperator } from './db-operator.ts';
import { deleteCluster } from './delete-cluster.ts';
import { getCluster } from './get-cluster.ts';
import { getSshKey } from './get-ssh-key.ts';
import { listClusters } from './list-clusters.ts';

export const clusters = {
  list: listClusters,
  create: createCluster,
  sshKey: getSshKey,
  get: getCluster,
  change: changeCluster,
  delete: deleteCluster,
  createEnrollmentToken,
  installDbOperator,
};
