import { z } from 'zod';
import { createCluster as newCluster } from '../../db/clusters/clusters.ts';
import { createEnrollmentToken as newToken } from '../../db/clusters/enrollment-tokens.ts';
import { operation } from '../engine/operation.ts';
import { clusterCreatedSchema, clusterName, clusterRegion } from './cluster.ts';
import { installCommand } from './install-command.ts';
import { presentCluster } from './present-cluster.ts';
import { signingFingerprint } from './signing-fingerprint.ts';

export const createCluster = operation({
  method: 'POST',
  url: '/api/v1/clusters',
  summary: 'Create a cluster',
  description:
    'Run `installCommand` on the machine that becomes the cluster, before the token expires. The slug is derived from the name and never changes.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: ['not-found'],
  body: z.strictObject({ name: clusterName, region: clusterRegion.optional() }),
  status: 201,
  result: clusterCreatedSchema,
  secretAnswer: ({ cluster }) => cluster.id,
  async handle({ caller, body, effect, server }) {
    const cluster = await newCluster(effect, { organizationId: caller.organization.id, ...body });
    const { secret, expiresAt } = await newToken(effect, cluster);
    return {
      cluster: presentCluster(cluster),
      expiresAt: expiresAt.toISOString(),
      installCommand: installCommand(
        server.settings.PUBLIC_URL,
        cluster,
        secret,
        await signingFingerprint(effect.kysely),
      ),
      token: secret,
    };
  },
});
