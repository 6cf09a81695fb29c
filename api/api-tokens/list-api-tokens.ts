import { listTokens } from '../../db/api-tokens.ts';
import { operation } from '../operation.ts';
import { createdPosition, oneMore, pageOf } from '../positions.ts';
import { apiTokenAnswer, apiTokenSchema } from './api-token.ts';

export const listApiTokens = operation({
  method: 'GET',
  url: '/api/v1/api-tokens',
  summary: 'The API tokens of the organization, newest first, revoked ones too',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: [],
  paged: { after: createdPosition },
  result: apiTokenSchema,
  async handle({ caller, database, page }) {
    const tokens = await listTokens(database.kysely, caller.organization.id, oneMore(page));
    return pageOf(tokens, page, ({ id }) => id, apiTokenAnswer);
  },
});
