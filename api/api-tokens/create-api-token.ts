import { z } from 'zod';
import { createToken } from '../../db/api-tokens/api-tokens.ts';
import { tokenRoles } from '../../domain/roles.ts';
import { invalidFields } from '../engine/input/input.ts';
import { nameText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { chosenProjects, refuseOtherProjects } from '../projects/chosen-projects.ts';
import { apiTokenAnswer, apiTokenSchema } from './api-token.ts';
import { refuseTooManyTokens } from './token-quota.ts';

const longestMillis = 3_650 * 86_400_000;

export const createApiToken = operation({
  method: 'POST',
  url: '/api/v1/api-tokens',
  summary: 'Create an API token',
  description:
    'The secret is returned only in this answer. A token cannot create tokens: CI jobs exchange their own token instead (POST /api/v1/token-exchange).',
  scope: 'organization',
  role: 'admin',
  credentials: 'session',
  why: 'An API token cannot create tokens; sign in and create it in the console, or let a CI job exchange its own token.',
  projectTokens: 'refused',
  rate: 'credentials',
  problems: [],
  body: z.strictObject({
    name: nameText(),
    role: z.enum(tokenRoles),
    projectIds: chosenProjects.optional().describe('The projects that it is limited to; left out, it is not limited.'),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('In the future, at most ten years from now. Without it the token does not expire.'),
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
  async handle({ caller, body, effect, server }) {
    const { name, role, projectIds } = body;
    await refuseTooManyTokens(effect, server.settings, caller.organization.id);
    await refuseOtherProjects(effect, caller.organization.id, projectIds);
    const { row, secret } = await createToken(effect, {
      organizationId: caller.organization.id,
      name,
      role,
      projectIds,
      expiresAt: body.expiresAt === undefined ? undefined : expiryOf(body.expiresAt),
    });
    return { token: apiTokenAnswer(row), secret, shownOnce: true };
  },
});

function expiryOf(text: string): Date {
  const expiresAt = new Date(text);
  const fault = (message: string) => invalidFields([{ location: 'body.expiresAt', message, value: text }]);
  if (expiresAt.getTime() <= Date.now()) throw fault('lies in the past; choose a later time');
  if (expiresAt.getTime() > Date.now() + longestMillis) {
    throw fault(
      'is more than ten years away; choose an earlier time, or leave it out for a token that does not expire',
    );
  }
  return expiresAt;
}
