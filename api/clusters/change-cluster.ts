import { z } from 'zod';
import { changeCluster as change, lockCluster } from '../../db/clusters/clusters.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { clusterName, clusterPath, clusterRegion, clusterSchema, theCluster } from './cluster.ts';
import { presentCluster } from './present-cluster.ts';

export const changeCluster = operation({
  method: 'PATCH',
  url: '/api/v1/clusters/{id}',
  summary: 'Update a cluster',
  description:
    'Omitted fields keep their values; the slug never changes. A cluster that is not schedulable accepts no new workloads; existing ones can be changed.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'changed-meanwhile'],
  path: clusterPath,
  body: withWas(
    z.strictObject({
      name: clusterName.optional(),
      region: clusterRegion.optional(),
      schedulable: z.boolean().optional(),
    }),
  ),
  result: clusterSchema,
  async handle({ caller, path, body, effect }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    const before = await lockCluster(effect, cluster);
    const { was, ...wanted } = body;
    const subject = { organizationId: caller.organization.id, kind: 'cluster', id: cluster.id };
    if (before !== undefined) await refuseChangedMeanwhile(effect.kysely, subject, { is: before, was, wanted });
    const changed = await change(effect, cluster, wanted);
    return presentCluster(changed ?? (await caller.see(theCluster, path.id, effect.kysely)));
  },
});
