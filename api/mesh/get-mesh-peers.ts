import { z } from 'zod';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';

export const getMeshPeers = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/mesh-peers',
  summary: 'List the mesh nodes of a cluster',
  description: 'None, and a hub of empty fields: no cluster is in a mesh yet.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: clusterPath,
  query: z.strictObject({ includeRevoked: z.boolean().optional().describe('Also those that were revoked.') }),
  result: z
    .object({
      hub: z.object({
        clusterId: z.string(),
        clusterName: z.string(),
        nodeName: z.string(),
        sameCluster: z.boolean(),
      }),
      items: z.array(
        z.object({
          id: z.string(),
          nodeName: z.string(),
          address: z.string(),
          underlayAddress: z.string(),
          gateway: z.boolean(),
          hub: z.boolean(),
          public: z.boolean(),
          handshakeReported: z.boolean(),
          createdAt: z.iso.datetime(),
          lastHandshakeAt: z.iso.datetime().optional(),
          lastSeenAt: z.iso.datetime().optional(),
          revokedAt: z.iso.datetime().optional(),
        }),
      ),
    })
    .meta({ id: 'MeshPeers' }),
  async handle({ caller, path }) {
    await caller.see(theCluster, path.id);
    return { hub: { clusterId: '', clusterName: '', nodeName: '', sameCluster: false }, items: [] };
  },
});
