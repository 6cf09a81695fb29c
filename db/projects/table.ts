import { defineEntity, p } from '@mikro-orm/core';
import { type ForeignKey, toOrganization, toRow } from '../postgres/foreign-key.ts';

/** Services that belong together, with the environments that they run in. */
const ProjectSchema = defineEntity({
  name: 'project',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    /** Part of addresses and of the registry's repositories: kept when the project is renamed. */
    slug: p.text(),
    description: p.text().default(''),
    /** A member owns it, or a team. */
    ownerId: p.uuid().nullable(),
    teamId: p.uuid().nullable(),
    /** How many of its deployments may be under way at once. */
    deployConcurrency: p.integer().default(10),
    deletionId: p.uuid().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    { name: 'project_slug_unique', properties: ['organizationId', 'slug'], where: 'deletion_id is null' },
  ],
  indexes: [
    { name: 'project_page_index', properties: ['organizationId', 'createdAt', 'id'] },
    { properties: ['teamId'], where: 'team_id is not null' },
  ],
});

export const projects = [ProjectSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [toOrganization('project'), toRow('project', 'team_id', 'team')];
