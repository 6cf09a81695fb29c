import { deleteTrustedIssuer as remove } from '../../db/trusted-issuers/trusted-issuers.ts';
import { operation } from '../engine/operation.ts';
import { sessionOnly, theTrustedIssuer, trustedIssuerPath } from './trusted-issuer.ts';

export const deleteTrustedIssuer = operation({
  method: 'DELETE',
  url: '/api/v1/trusted-issuers/{id}',
  summary: 'Delete a trusted issuer',
  description: 'Tokens that jobs have got by it are revoked, and their open streams close.',
  scope: 'organization',
  role: 'admin',
  credentials: 'session',
  why: sessionOnly,
  projectTokens: 'refused',
  problems: ['not-found'],
  path: trustedIssuerPath,
  async handle({ caller, path, effect }) {
    const { id } = await caller.see(theTrustedIssuer, path.id, effect.kysely);
    await remove(effect, caller.organization.id, id);
  },
});
