import { z } from 'zod';
import { listInvitations as invitationsOf } from '../../db/invitations/invitations.ts';
import { soughtText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { organizationPath } from '../organizations/organization.ts';
import { invitationAnswer, invitationSchema } from './invitation.ts';

export const listInvitations = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/invitations',
  summary: 'List invitations, newest first',
  description: 'Open, expired and accepted ones; revoked ones are not listed.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: organizationPath,
  query: z.strictObject({ q: soughtText('its e-mail') }),
  paged: { after: createdPosition },
  result: invitationSchema,
  async handle({ caller, path, database, query, page }) {
    const invitations = await invitationsOf(database.kysely, caller.ownOrganization(path.id).id, {
      ...oneMore(page),
      q: query.q,
    });
    return pageOf(invitations, page, ({ id }) => id, invitationAnswer);
  },
});
