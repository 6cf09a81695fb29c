import { z } from 'zod';
import { type ApiTokenView, findToken } from '../../db/api-tokens/api-tokens.ts';
import { tokenRoles } from '../../domain/roles.ts';
import { resource } from '../engine/resource.ts';

export const theApiToken = resource('API token', findToken);

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

export function apiTokenAnswer(token: ApiTokenView): z.output<typeof apiTokenSchema> {
  const { createdAt, expiresAt, lastUsedAt, revokedAt, ...rest } = token;
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
    ...(lastUsedAt === null ? {} : { lastUsedAt: lastUsedAt.toISOString() }),
    ...(revokedAt === null ? {} : { revokedAt: revokedAt.toISOString() }),
  };
}
