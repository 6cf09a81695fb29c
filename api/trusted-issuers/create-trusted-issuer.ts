import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { createTrustedIssuer as create } from '../../db/trusted-issuers/trusted-issuers.ts';
import { operation } from '../engine/operation.ts';
import { refuseOtherProjects } from '../projects/chosen-projects.ts';
import { checkRule, ruleFields, sessionOnly, trustedIssuerAnswer, trustedIssuerSchema } from './trusted-issuer.ts';

export const createTrustedIssuer = operation({
  method: 'POST',
  url: '/api/v1/trusted-issuers',
  summary: 'Create a trusted issuer',
  description:
    'Jobs whose OIDC token is from this issuer, for this audience and with these claims may exchange it for a short-lived API token (POST /api/v1/token-exchange).',
  scope: 'organization',
  role: 'admin',
  credentials: 'session',
  why: sessionOnly,
  projectTokens: 'refused',
  problems: ['conflict'],
  body: z.strictObject({
    ...ruleFields,
    projectIds: ruleFields.projectIds.default(null),
    tokenLifetimeSeconds: ruleFields.tokenLifetimeSeconds.default(900),
  }),
  status: 201,
  result: trustedIssuerSchema,
  async handle({ caller, body, effect, server }) {
    checkRule(body, server.outbound);
    const owner = caller.organization.id;
    await refuseOtherProjects(effect, owner, body.projectIds);
    await refuseBeyond(effect, {
      setting: 'TRUSTED_ISSUERS_PER_ORGANIZATION',
      most: server.settings.TRUSTED_ISSUERS_PER_ORGANIZATION,
      owner,
      things: 'trusted issuers in this organization',
      rows: sql`trusted_issuer where organization_id = ${owner}`,
      remedy: 'delete one that is not needed',
    });
    return trustedIssuerAnswer(await create(effect, caller.organization.id, body));
  },
});
