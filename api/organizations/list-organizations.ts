import { z } from 'zod';
import { listMemberships } from '../../db/organizations/organizations.ts';
import { roles } from '../../domain/roles.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';

export const membershipSchema = z
  .object({
    organizationId: z.guid(),
    name: z.string(),
    slug: z.string(),
    role: z.enum(roles).describe('The role of the caller there.'),
    requireMfa: z.boolean(),
    callerId: z.guid().describe('The id by which changes name the caller: of a token that of the person who made it.'),
  })
  .meta({ id: 'Membership' });

export const listOrganizations = operation({
  method: 'GET',
  url: '/api/v1/organizations',
  summary: 'List the organizations of the caller, oldest first',
  description: 'The organizations of the person; for a token, the one it was created in.',
  scope: 'user',
  problems: [],
  paged: { after: createdPosition },
  result: membershipSchema,
  async handle({ caller, database, page }) {
    if (caller.userId === undefined) {
      const items = caller.memberships.map(({ id: organizationId, name, slug, role, requireMfa }) => {
        return { organizationId, name, slug, role, requireMfa, callerId: caller.countsAs.id };
      });
      return { items, after: undefined };
    }
    const found = await listMemberships(database.kysely, caller.userId, oneMore(page));
    return pageOf(
      found,
      page,
      ({ organizationId }) => organizationId,
      ({ createdAt: _, ...membership }) => ({ ...membership, callerId: caller.countsAs.id }),
    );
  },
});
