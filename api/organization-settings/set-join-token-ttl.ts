import { z } from 'zod';
import { withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { organizationPath } from '../organizations/organization.ts';
import { joinTokenSeconds, joinTokenTtlSchema } from './join-token-ttl.ts';
import { makeLast } from './lasting.ts';

export const setJoinTokenTtl = operation({
  method: 'PUT',
  url: '/api/v1/organizations/{id}/join-token-ttl',
  summary: 'Set the lifetime of join commands',
  description: 'Five minutes to a week. Existing tokens keep their lifetime.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'changed-meanwhile'],
  path: organizationPath,
  body: withWas(z.strictObject({ seconds: joinTokenSeconds })),
  result: joinTokenTtlSchema,
  async handle({ caller, path, body, effect }) {
    const { was, ...wanted } = body;
    await makeLast(effect, caller.ownOrganization(path.id).id, 'joinTokenTtlSeconds', {
      field: 'seconds',
      wanted,
      was,
    });
    return wanted;
  },
});
