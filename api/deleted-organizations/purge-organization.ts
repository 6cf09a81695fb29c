import { z } from 'zod';
import { requestPurge } from '../../db/deletions/deletions.ts';
import { operation } from '../engine/operation.ts';
import { confirmedSlug, refuseWrongSlug } from '../organizations/confirmed-slug.ts';
import { deletedOrganizationOf, deletionPath } from './deleted-organization.ts';

export const purgeOrganization = operation({
  method: 'POST',
  url: '/api/v1/deleted-organizations/{id}/purge',
  summary: 'Purge a deleted organization now',
  description: 'Nothing can be restored afterwards. A failed purge is retried.',
  scope: 'user',
  credentials: 'session',
  rate: 'deletions',
  problems: ['not-found', 'mfa-required', 'already-decided'],
  path: deletionPath,
  body: z.strictObject({ confirmSlug: confirmedSlug }),
  async handle({ caller, path, body, effect }) {
    const deletion = await deletedOrganizationOf(caller, path.id, effect.kysely);
    refuseWrongSlug(body.confirmSlug, deletion.slug);
    await requestPurge(effect, deletion.id);
  },
});
