import { z } from 'zod';
import { createToken } from '../../db/api-tokens.ts';
import { tokenRoles } from '../../domain/roles.ts';
import { operation } from '../operation.ts';
import { invalidFields } from '../pipeline/input.ts';
import { apiTokenAnswer, apiTokenSchema } from './api-token.ts';

export const createApiToken = operation({
  method: 'POST',
  url: '/api/v1/api-tokens',
  summary: 'Make an API token',
  description: 'The secret is shown in this answer and never again. A token cannot make tokens.',
  scope: 'organization',
  role: 'admin',
  credentials: 'session',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: [],
  body: z.strictObject({
    name: z.string().trim().min(1).max(100),
    role: z.enum(tokenRoles),
    expiresAt: z.iso.datetime({ offset: true }).optional().describe('Without it the token does not expire.'),
  }),
  status: 201,
  result: z
    .object({
      token: apiTokenSchema,
      secret: z.string().describe('What to send as `Authorization: Bearer …`.'),
      shownOnce: z.boolean(),
    })
    .meta({ id: 'ApiTokenCreated' }),
  secretAnswer: ({ token }) => token.id,
  async handle({ caller, body, effect }) {
    const expiresAt = body.expiresAt === undefined ? undefined : new Date(body.expiresAt);
    if (expiresAt !== undefined && expiresAt.getTime() <= Date.now()) {
      throw invalidFields([
        { location: 'body.expiresAt', message: 'lies in the past; choose a later time', value: body.expiresAt },
      ]);
    }
    const { name, role } = body;
    const { row, secret } = await createToken(effect, {
      organizationId: caller.organization.id,
      name,
      role,
      expiresAt,
    });
    return { token: apiTokenAnswer(row), secret, shownOnce: true };
  },
});
