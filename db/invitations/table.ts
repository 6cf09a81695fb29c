import { defineEntity, p } from '@mikro-orm/core';
import { roles } from '../../domain/roles.ts';
import { type ForeignKey, toOrganization } from '../postgres/foreign-key.ts';

const InvitationSchema = defineEntity({
  name: 'invitation',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    email: p.text(),
    role: p.enum(roles),
    /** SHA-256 of the token: the token itself is nowhere. */
    tokenHash: p.blob().$type<Buffer>().unique('invitation_token_hash_unique'),
    invitedById: p.text(),
    invitedByName: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).nullable(),
    acceptedBy: p.uuid().nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    {
      name: 'invitation_pending_unique',
      expression:
        'create unique index "invitation_pending_unique" on "invitation" ("organization_id", lower("email")) where "accepted_at" is null and "revoked_at" is null',
    },
  ],
  indexes: [{ name: 'invitation_page_index', properties: ['organizationId', 'createdAt', 'id'] }],
});

export const invitations = [InvitationSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [toOrganization('invitation')];
