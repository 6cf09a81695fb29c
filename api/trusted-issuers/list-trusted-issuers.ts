import { z } from 'zod';
import { listTrustedIssuers as issuersOf } from '../../db/trusted-issuers/trusted-issuers.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { trustedIssuerAnswer, trustedIssuerSchema } from './trusted-issuer.ts';

export const listTrustedIssuers = operation({
  method: 'GET',
  url: '/api/v1/trusted-issuers',
  summary: 'List trusted issuers, oldest first: the order in which they are tried',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: [],
  query: z.strictObject({ q: soughtText('its name or issuer') }),
  paged: { after: createdPosition },
  result: trustedIssuerSchema,
  async handle({ caller, database, query, page }) {
    const rules = await issuersOf(database.kysely, caller.organization.id, { ...oneMore(page), q: query.q });
    return pageOf(rules, page, ({ id }) => id, trustedIssuerAnswer);
  },
});
