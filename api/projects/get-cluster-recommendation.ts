import { z } from 'zod';
import { type RecommendedCluster, recommendedCluster } from '../../db/clusters/recommended-cluster.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { projectPath, theProject } from './project.ts';

export const getClusterRecommendation = operation({
  method: 'GET',
  url: '/api/v1/projects/{id}/cluster-recommendation',
  summary: 'Recommend a cluster for an environment of a project',
  description:
    "The organization's default cluster if it is in contact and accepts workloads, else the one in contact with the fewest workloads.",
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found', 'cluster-not-ready'],
  path: projectPath,
  result: z
    .object({ clusterId: z.guid(), clusterName: z.string(), clusterSlug: z.string(), reason: z.string() })
    .meta({ id: 'ClusterRecommendation' }),
  async handle({ caller, path, database }) {
    await caller.see(theProject, path.id);
    const cluster = await recommendedCluster(database.kysely, caller.organization.id);
    if (cluster !== undefined) {
      return { clusterId: cluster.id, clusterName: cluster.name, clusterSlug: cluster.slug, reason: reasonOf(cluster) };
    }
    throw new Problem(
      'cluster-not-ready',
      'No cluster is in contact and accepts workloads: add a cluster, start the agent of one, or make one schedulable.',
    );
  },
});

function reasonOf({ name, isDefault, workloads, candidates, passedOver }: RecommendedCluster): string {
  if (isDefault) return `${name} is the default cluster of the organization.`;
  const count = workloads === 1 ? '1 workload' : `${workloads} workloads`;
  const chosen =
    candidates === 1
      ? `${name} is the only cluster that is in contact and accepts workloads.`
      : `${name} has the fewest workloads (${count}) of the ${candidates} clusters that are in contact and accept workloads.`;
  return passedOver === null
    ? chosen
    : `${chosen} The default cluster, ${passedOver}, is out of contact or accepts none.`;
}
