import { z } from 'zod';
import { findRelease } from '../../db/agent-updates/agent-releases.ts';
import { hasRunImage, requestAgentUpdate } from '../../db/agent-updates/agent-updates.ts';
import { Problem } from '../../domain/problems.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { agentImage, agentUpdateSchema, presentUpdate } from './agent-status.ts';

export const rollbackAgent = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/agent/rollback',
  summary: 'Roll back the agent of a cluster',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'cluster-not-ready', 'update-in-progress'],
  path: clusterPath,
  body: z.strictObject({ image: agentImage }),
  status: 202,
  result: agentUpdateSchema,
  async handle({ caller, path, body, effect }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    const { image } = body;
    if (cluster.agent.image === image) {
      throw new Problem('conflict', `The agent of "${cluster.name}" runs ${image} already.`);
    }
    const fault = (message: string) => invalidFields([{ location: 'body.image', message, value: image }]);
    if (!(await hasRunImage(effect.kysely, cluster, image))) {
      throw fault('is no release that this cluster ran before; its history is in GET /clusters/{id}/agent');
    }
    if ((await findRelease(effect.kysely, { image })) === undefined) {
      throw fault('is no release that this control plane still has');
    }
    return presentUpdate(await requestAgentUpdate(effect, cluster, { kind: 'rollback', toImage: image }));
  },
});
