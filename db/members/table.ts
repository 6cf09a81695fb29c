import { defineEntity, p } from '@mikro-orm/core';
import { roles } from '../../domain/roles.ts';
import { type ForeignKey, toOrganization } from '../postgres/foreign-key.ts';

const MembershipSchema = defineEntity({
  name: 'membership',
  properties: {
    organizationId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.enum(roles),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastActiveAt: p.datetime(3).nullable(),
  },
  indexes: [
    { properties: ['userId'] },
    { name: 'membership_page_index', properties: ['organizationId', 'createdAt', 'userId'] },
    { name: 'membership_owner_index', properties: ['organizationId'], where: "role = 'owner'" },
  ],
});

export const members = [MembershipSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('membership'),
  { table: 'membership', columns: ['user_id'], references: 'app_user', referenced: ['id'] },
];
