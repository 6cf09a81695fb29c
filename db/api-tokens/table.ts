import { defineEntity, p } from '@mikro-orm/core';
import { tokenRoles } from '../../domain/roles.ts';
import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';

const ApiTokenSchema = defineEntity({
  name: 'api_token',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    /** The part of the token that finds it: `svc_<token id>_<secret>`. */
    tokenId: p.text().unique('api_token_token_id_unique'),
    /** SHA-256 of the secret: the secret itself is nowhere. */
    secretHash: p.blob().$type<Buffer>(),
    name: p.text(),
    role: p.enum(tokenRoles),
    projectRestricted: p.boolean().default(false),
    /** The user's id, or the name of the machine that made it. */
    createdBy: p.text(),
    /** The person who made it: without a membership, or disabled, of no use any more. Null: a CI job or a machine. */
    makerId: p.uuid().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    /** The rule by which a CI job got it; the rule may be gone. */
    trustedIssuerId: p.uuid().nullable(),
    /** Who had created or changed that rule by then. */
    ruleAuthorIds: p.array().nullable(),
  },
  indexes: [
    { name: 'api_token_page_index', properties: ['organizationId', 'createdAt', 'id'] },
    { properties: ['trustedIssuerId'], where: 'trusted_issuer_id is not null' },
    { name: 'api_token_maker_index', properties: ['makerId', 'organizationId'], where: 'maker_id is not null' },
  ],
  uniques: [{ properties: ['organizationId', 'id'] }],
});

/** The projects a restricted token may see. */
const ApiTokenProjectSchema = defineEntity({
  name: 'api_token_project',
  properties: {
    apiTokenId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    organizationId: p.uuid(),
  },
  indexes: [{ properties: ['organizationId', 'projectId'] }],
});

export const apiTokens = [ApiTokenSchema, ApiTokenProjectSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('api_token'),
  partOf('api_token_project', 'api_token_id', 'api_token'),
];
