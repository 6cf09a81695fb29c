import { createEnrollmentToken as newToken } from '../../db/clusters/enrollment-tokens.ts';
import { operation } from '../engine/operation.ts';
import { clusterPath, enrollmentTokenSchema, theCluster } from './cluster.ts';
import { installCommand } from './install-command.ts';
import { signingFingerprint } from './signing-fingerprint.ts';

export const createEnrollmentToken = operation({
  method: 'POST',
  url: '/api/v1/clusters/{id}/enrollment-token',
  summary: 'Create an enrollment token',
  description: 'An enrolled agent is replaced by the one that uses the token.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: ['not-found', 'already-decided'],
  path: clusterPath,
  status: 201,
  result: enrollmentTokenSchema,
  secretAnswer: ({ expiresAt }) => `an enrollment token that expires at ${expiresAt}`,
  async handle({ caller, path, effect, server }) {
    const cluster = await caller.see(theCluster, path.id, effect.kysely);
    const { secret, expiresAt } = await newToken(effect, cluster);
    return {
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
