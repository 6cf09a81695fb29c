import { operation } from '../engine/operation.ts';
import { organizationPath } from '../organizations/organization.ts';
import { joinTokenTtlSchema } from './join-token-ttl.ts';
import { lastingOf } from './lasting.ts';

export const getJoinTokenTtl = operation({
  method: 'GET',
  url: '/api/v1/organizations/{id}/join-token-ttl',
  summary: 'Get the lifetime of join commands',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'refused',
  problems: ['not-found'],
  path: organizationPath,
  result: joinTokenTtlSchema,
  async handle({ caller, path, database }) {
    return { seconds: await lastingOf(database.kysely, caller.ownOrganization(path.id).id, 'joinTokenTtlSeconds') };
  },
});
