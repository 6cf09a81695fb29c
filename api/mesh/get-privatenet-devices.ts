import { z } from 'zod';
import { clusterPath, theCluster } from '../clusters/cluster.ts';
import { operation } from '../engine/operation.ts';

export const getPrivatenetDevices = operation({
  method: 'GET',
  url: '/api/v1/clusters/{id}/privatenet-devices',
  summary: "List the devices of a cluster in the organization's private network",
  description: 'None, and an empty `adminUrl`: no driver of today joins one (capability `privateNet`).',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: clusterPath,
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
  async handle({ caller, path }) {
    await caller.see(theCluster, path.id);
    return { adminUrl: '', devices: [] };
  },
});
