import { z } from 'zod';
import { currentRelease, findRelease } from '../../db/agent-updates/agent-releases.ts';
import { requestAgentUpdate } from '../../db/agent-updates/agent-updates.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { Problem } from '../../domain/problems.ts';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { agentImage, agentUpdateSchema, presentUpdate } from './agent-status.ts';

export const updateAgent = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/agent/update',
  summary: 'Update the agent of a cluster',
  description:
    'Installs the release that this control plane offers, unless `image` names another. Instances keep running meanwhile; an agent whose new release does not work rolls back by itself. One update at a time.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'cluster-not-ready', 'update-in-progress'],
  path: clusterPath,
  body: z.strictObject({ image: agentImage.optional() }).optional(),
  status: 202,
  result: agentUpdateSchema,
  async handle({ caller, path, body, effect }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    const toImage = body?.image === undefined ? await offered(effect) : await known(effect, body.image);
    if (cluster.agent.image === toImage) {
      throw new Problem('conflict', `The agent of "${cluster.name}" runs ${toImage} already.`);
    }
    return presentUpdate(await requestAgentUpdate(effect, cluster, { kind: 'update', toImage }));
  },
});

async function offered({ kysely }: Effect): Promise<string> {
  const release = await currentRelease(kysely);
  if (release !== undefined) return release.image;
  throw new Problem(
    'conflict',
    'This control plane is still building its release of the agent; try again in a minute.',
  );
}

async function known({ kysely }: Effect, image: string): Promise<string> {
  if ((await findRelease(kysely, { image })) !== undefined) return image;
  const message = 'is no release of the agent that this control plane has; leave it out to take the offered one';
  throw invalidFields([{ location: 'body.image', message, value: image }]);
}
