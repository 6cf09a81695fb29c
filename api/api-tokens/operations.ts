import { sql } from 'kysely';
import { z } from 'zod';
import { createToken, findToken, listTokens, revokeToken } from '../../db/api-tokens/api-tokens.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { tokenRoles } from '../../domain/roles.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { invalidField } from '../engine/input/input.ts';
import { nameText, soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { resource } from '../engine/resource.ts';
import { chosenProjects, refuseOtherProjects } from '../projects/project.ts';

const theApiToken = resource('API token', findToken);

export const apiTokenSchema = z
  .object({
    id: z.guid(),
    tokenId: z.string().describe('The part of the token that is no secret.'),
    name: z.string(),
    organizationId: z.guid(),
    role: z.enum(tokenRoles),
    createdBy: z.string().describe('The id of the person, or the name of the machine, that created it.'),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
    lastUsedAt: z.iso.datetime().optional().describe('To the minute.'),
    revokedAt: z.iso.datetime().optional(),
    projectIds: z.array(z.guid()),
    projectRestricted: z.boolean().describe('Whether it is limited to `projectIds`.'),
  })
  .meta({ id: 'ApiToken' });

/** Refuses one more API token than an organization may have: counting those that work, of all members. */
export async function refuseTooManyTokens(effect: Effect, settings: Settings, organizationId: string): Promise<void> {
  await refuseBeyond(effect, {
    setting: 'TOKENS_PER_ORGANIZATION',
    most: settings.TOKENS_PER_ORGANIZATION,
    owner: organizationId,
    things: 'API tokens that work in this organization',
    rows: sql`api_token where organization_id = ${organizationId} and revoked_at is null
      and (expires_at is null or expires_at > now())`,
    remedy: 'revoke one that is not needed',
  });
}

const longestMillis = 3_650 * 86_400_000;

const createApiToken = operation({
  method: 'POST',
  url: '/api/v1/api-tokens',
  summary: 'Create an API token',
  description:
    'The secret is returned only in this answer. A token cannot create tokens: CI jobs exchange their own token instead (POST /api/v1/token-exchange).',
  role: 'admin',
  credentials: 'session',
  why: 'An API token cannot create tokens; sign in and create it in the console, or let a CI job exchange its own token.',
  projectTokens: 'refused',
  rate: 'credentials',
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
    return { token: row, secret, shownOnce: true };
  },
});

function expiryOf(text: string): Date {
  const expiresAt = new Date(text);
  const fault = (message: string) => invalidField('body.expiresAt', message, text);
  if (expiresAt.getTime() <= Date.now()) throw fault('lies in the past; choose a later time');
  if (expiresAt.getTime() > Date.now() + longestMillis) {
    throw fault(
      'is more than ten years away; choose an earlier time, or leave it out for a token that does not expire',
    );
  }
  return expiresAt;
}

export const listApiTokens = operation({
  method: 'GET',
  url: '/api/v1/api-tokens',
  summary: 'List API tokens, newest first, revoked ones included',
  role: 'admin',
  projectTokens: 'refused',
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
    return pageOf(tokens, page);
  },
});

const revokeApiToken = operation({
  method: 'DELETE',
  url: '/api/v1/api-tokens/{id}',
  summary: 'Revoke an API token',
  description:
    'The token is refused from now on, and its open streams close. Revoking a revoked token changes nothing.',
  role: 'admin',
  projectTokens: 'refused',
  of: theApiToken,
  path: z.strictObject({ id: z.guid() }),
  async handle({ found: token, caller, effect }) {
    await revokeToken(effect, caller.organization.id, token.id);
  },
});

export const apiTokens = { list: listApiTokens, create: createApiToken, revoke: revokeApiToken };
