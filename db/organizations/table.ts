import { defineEntity, p } from '@mikro-orm/core';
import { approvalHours } from '../../domain/approvals/approvals.ts';
import type { ForeignKey } from '../postgres/foreign-key.ts';

const OrganizationSchema = defineEntity({
  name: 'organization',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    slug: p.text(),
    defaultClusterId: p.uuid().nullable(),
    buildRegistryCredentialId: p.uuid().nullable(),
    buildRepositoryPrefix: p.text().nullable(),
    requireMfa: p.boolean().default(false),
    deletedRetentionHours: p.integer().default(168),
    /** So long approvals wait that are requested from now on. */
    approvalExpiryHours: p.integer().default(approvalHours),
    joinTokenTtlSeconds: p.integer().default(3600),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** Set while the organization is deleted: it is invisible, and its slug is free for others. */
    deletionId: p.uuid().nullable(),
  },
  uniques: [{ properties: ['slug'], where: 'deletion_id is null' }, { properties: ['deletionId'] }],
  checks: [
    { name: 'organization_deleted_retention_hours_check', expression: 'deleted_retention_hours >= 0' },
    { name: 'organization_join_token_ttl_seconds_check', expression: 'join_token_ttl_seconds > 0' },
  ],
});

export const organizations = [OrganizationSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  { table: 'organization', columns: ['deletion_id'], references: 'deletion', referenced: ['id'] },
];
