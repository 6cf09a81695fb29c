import { z } from 'zod';
import { Problem } from '../../domain/problems.ts';
import { theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';

const deleteMeshPeer = operation({
  method: 'DELETE',
  url: '/api/v1/clusters/{id}/mesh-peers/{peerId}',
  summary: 'Revoke a node of the mesh; its keys are retired for good',
  role: 'admin',
  projectTokens: 'refused',
  of: theCluster,
  path: z.strictObject({ id: z.guid().toLowerCase(), peerId: z.guid().toLowerCase() }),
  async handle({ found: cluster }) {
    throw new Problem('not-found', `The cluster "${cluster.name}" has no such node in the mesh.`);
  },
});

const getMeshPeers = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/mesh-peers',
  summary: 'List the mesh nodes of a cluster',
  description: 'None, and a hub of empty fields: no cluster is in a mesh yet.',
  role: 'viewer',
  projectTokens: 'refused',
  of: theCluster,
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
  handle: async () => ({ hub: { clusterId: '', clusterName: '', nodeName: '', sameCluster: false }, items: [] }),
});

const getPrivatenetDevices = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/privatenet-devices',
  summary: "List the devices of a cluster in the organization's private network",
  description: 'None, and an empty `adminUrl`: no driver of today joins one (capability `privateNet`).',
  role: 'viewer',
  projectTokens: 'refused',
  of: theCluster,
  result: z
    .object({
      adminUrl: z.string(),
      devices: z.array(
        z.object({
          deviceId: z.string(),
          hostname: z.string(),
          name: z.string(),
          reason: z.string(),
          orphanedAt: z.iso.datetime(),
        }),
      ),
    })
    .meta({ id: 'PrivateNetDevices' }),
  handle: async () => ({ adminUrl: '', devices: [] }),
});

export const mesh = { privatenetDevices: getPrivatenetDevices, meshPeers: getMeshPeers, deleteMeshPeer };
