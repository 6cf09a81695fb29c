import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';

export const deleteMeshPeer = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/mesh-peers/{peerId}',
  summary: 'Revoke a node of the mesh; its keys are retired for good',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: z.strictObject({ id: z.guid().toLowerCase(), peerId: z.guid().toLowerCase() }),
  async handle({ caller, path, effect }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    throw new Problem('not-found', `The cluster "${cluster.name}" has no such node in the mesh.`);
  },
});
