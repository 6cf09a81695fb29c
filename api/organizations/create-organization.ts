import { sql } from 'kysely';
import { z } from 'zod';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { createOrganization as newOrganization, ownsFirstOrganization } from '../../db/organizations/organizations.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { organizationAnswer, organizationName, organizationSchema, organizationSlug } from './organization.ts';

export const createOrganization = operation({
  method: 'POST',
  url: '/api/v1/organizations',
  summary: 'Create an organization',
  description:
    'The caller becomes its owner. For owners of the first organization of the installation, or for everyone where ORGANIZATION_CREATORS says so. The slug is part of addresses and never changes.',
  scope: 'user',
  credentials: 'session',
  why: 'An API token belongs to one organization and cannot create another; sign in and do it in the console.',
  problems: ['slug-taken', 'role-too-low'],
  body: z.strictObject({
    name: organizationName,
    slug: organizationSlug,
  }),
  status: 201,
  result: organizationSchema,
  async handle({ caller, body, effect, server }) {
    if (
      server.settings.ORGANIZATION_CREATORS === 'owners' &&
      !(await ownsFirstOrganization(effect.kysely, caller.id))
    ) {
      throw new Problem(
        'role-too-low',
        'Only owners of the first organization of this installation can create organizations; ask one of them, or ask the operator to set ORGANIZATION_CREATORS=everyone.',
      );
    }
    await refuseBeyond(effect, {
      setting: 'ORGANIZATIONS_PER_OWNER',
      most: server.settings.ORGANIZATIONS_PER_OWNER,
      owner: caller.id,
      things: 'organizations of yours',
      rows: sql`membership where user_id = ${caller.id} and role = 'owner'`,
      remedy: 'delete one that is not needed',
    });
    return organizationAnswer(await newOrganization(effect, { ...body, ownerId: caller.id }));
  },
});
