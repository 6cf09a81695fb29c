import { z } from 'zod';
import { listTokens } from '../../db/api-tokens/api-tokens.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { apiTokenAnswer, apiTokenSchema } from './api-token.ts';

export const listApiTokens = operation({
  method: 'GET',
  url: '/api/v1/api-tokens',
  summary: 'List API tokens, newest first, revoked ones included',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: [],
  query: z.strictObject({
    q: soughtText('its name or `tokenId`'),
    live: z.boolean().default(false).describe('Only those that still work: neither revoked nor expired.'),
    createdBy: z
      .guid()
      .toLowerCase()
      .optional()
      .describe('Only those that this member created: they are revoked when the member leaves.'),
    trustedIssuerId: z
      .guid()
      .toLowerCase()
      .optional()
      .describe('Only those that CI jobs got by this rule: they are revoked with it.'),
  }),
  paged: { after: createdPosition },
  result: apiTokenSchema,
  async handle({ caller, database, query, page }) {
    const { q, live, createdBy: makerId, trustedIssuerId } = query;
    const filter = { q, live, makerId, trustedIssuerId };
    const tokens = await listTokens(database.kysely, caller.organization.id, { ...oneMore(page), ...filter });
    return pageOf(tokens, page, ({ id }) => id, apiTokenAnswer);
  },
});
