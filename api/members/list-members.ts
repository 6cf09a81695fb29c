import { z } from 'zod';
import { listMembers as membersOf } from '../../db/members/members.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { organizationPath } from '../organizations/organization.ts';
import { memberAnswer, memberSchema } from './member.ts';

export const listMembers = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/members',
  summary: 'List members, in the order they joined',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: organizationPath,
  query: z.strictObject({ q: soughtText('name, e-mail or teams') }),
  paged: { after: createdPosition },
  result: memberSchema,
  async handle({ caller, path, database, query, page }) {
    const members = await membersOf(database.kysely, caller.ownOrganization(path.id).id, {
      ...oneMore(page),
      q: query.q,
    });
    return pageOf(members, page, ({ userId }) => userId, memberAnswer);
  },
});
