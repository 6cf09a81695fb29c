import { defineEntity, p } from '@mikro-orm/core';
import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';

const TeamSchema = defineEntity({
  name: 'team',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    slug: p.text(),
    /** Kept by the identity provider: people cannot change it here. */
    scimManaged: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    { properties: ['organizationId', 'slug'] },
    {
      name: 'team_organization_id_name_unique',
      expression: 'create unique index "team_organization_id_name_unique" on "team" ("organization_id", lower("name"))',
    },
  ],
});

/** Who is in a team: always a member of the team's organization. */
const TeamMemberSchema = defineEntity({
  name: 'team_member',
  properties: {
    teamId: p.uuid().primary(),
    userId: p.uuid().primary(),
    organizationId: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ properties: ['organizationId', 'userId'] }],
});

export const teams = [TeamSchema, TeamMemberSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('team'),
  partOf('team_member', 'team_id', 'team'),
  {
    table: 'team_member',
    columns: ['organization_id', 'user_id'],
    references: 'membership',
    referenced: ['organization_id', 'user_id'],
    onDelete: 'cascade',
  },
];
