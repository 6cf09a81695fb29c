import { operation } from '../engine/operation.ts';
import { theTrustedIssuer, trustedIssuerAnswer, trustedIssuerPath, trustedIssuerSchema } from './trusted-issuer.ts';

export const getTrustedIssuer = operation({
  method: 'GET',
  url: '/api/v1/trusted-issuers/{id}',
  summary: 'Get a trusted issuer',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: trustedIssuerPath,
  result: trustedIssuerSchema,
  async handle({ caller, path }) {
    return trustedIssuerAnswer(await caller.see(theTrustedIssuer, path.id));
  },
});
