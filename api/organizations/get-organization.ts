import { z } from 'zod';
import { findOrganization } from '../../db/organizations/organizations.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { organizationAnswer, organizationSchema } from './organization.ts';

export const getOrganization = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}',
  summary: 'Get an organization',
  description: 'Must be the organization of the request; for a token, the one it was created in.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: z.strictObject({ id: z.guid() }),
  result: organizationSchema,
  async handle({ caller, path, database }) {
    const organization = await findOrganization(database.kysely, caller.ownOrganization(path.id).id);
    if (organization === undefined) throw new Problem('not-found', 'The organization was deleted a moment ago.');
    return organizationAnswer(organization);
  },
});
