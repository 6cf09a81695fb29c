import { defineEntity, p } from '@mikro-orm/core';
import { tokenRoles } from '../../domain/roles.ts';
import { type ForeignKey, toOrganization } from '../postgres/foreign-key.ts';

/** A rule: jobs that this issuer vouches for, with these claims, may exchange its token for an API token of ours. */
const TrustedIssuerSchema = defineEntity({
  name: 'trusted_issuer',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    issuer: p.text(),
    audience: p.text(),
    /** Patterns for each claim, of which one must match; `*` stands for any characters. */
    claims: p.json().$type<Record<string, string[]>>(),
    role: p.enum(tokenRoles),
    /** Null: its tokens are not limited to projects. */
    projectIds: p.array().nullable(),
    tokenLifetimeSeconds: p.integer(),
    createdBy: p.text(),
    /** Who created it, or changed whom it trusts and with what: what its jobs stage and request is theirs, too. */
    authorIds: p.array().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastUsedAt: p.datetime(3).nullable(),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    {
      name: 'trusted_issuer_organization_id_name_unique',
      expression:
        'create unique index "trusted_issuer_organization_id_name_unique" on "trusted_issuer" ("organization_id", lower("name"))',
    },
  ],
  indexes: [{ name: 'trusted_issuer_page_index', properties: ['organizationId', 'createdAt', 'id'] }],
});

/** Tokens of CI jobs that were exchanged: each is good once. */
const ExchangedTokenSchema = defineEntity({
  name: 'exchanged_token',
  properties: {
    /** SHA-256 of issuer and token id. */
    hash: p.blob().$type<Buffer>().primary(),
    expiresAt: p.datetime(3),
  },
  indexes: [{ properties: ['expiresAt'] }],
});

export const trustedIssuers = [TrustedIssuerSchema, ExchangedTokenSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [toOrganization('trusted_issuer')];
