import { z } from 'zod';
import { revokeToken } from '../../db/api-tokens/api-tokens.ts';
import { operation } from '../engine/operation.ts';
import { theApiToken } from './api-token.ts';

export const revokeApiToken = operation({
  method: 'DELETE',
  url: '/api/v1/api-tokens/{id}',
  summary: 'Revoke an API token',
  description:
    'The token is refused from now on, and its open streams close. Revoking a revoked token changes nothing.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: z.strictObject({ id: z.guid() }),
  async handle({ caller, path, effect }) {
    const token = await caller.see(theApiToken, path.id, effect.kysely);
    await revokeToken(effect, caller.organization.id, token.id);
  },
});
