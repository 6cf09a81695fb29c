import { z } from 'zod';
import { restoreOrganization as restore } from '../../db/deletions/deletions.ts';
import { operation } from '../engine/operation.ts';
import { organizationSlug } from '../organizations/organization.ts';
import { deletedOrganizationOf, deletionPath } from './deleted-organization.ts';

export const restoreOrganization = operation({
  method: 'POST',
  url: '/api/v1/deleted-organizations/{id}/restore',
  summary: 'Restore a deleted organization',
  description:
    'Everything in it is restored too. If another organization has taken its slug meanwhile, the answer is 409: give another one.',
  scope: 'user',
  credentials: 'session',
  rate: 'deletions',
  problems: ['not-found', 'mfa-required', 'already-decided', 'slug-taken'],
  path: deletionPath,
  body: z.strictObject({ slug: organizationSlug.optional() }).optional(),
  result: z
    .object({ id: z.guid().describe('The id of the organization.'), name: z.string(), slug: z.string() })
    .meta({ id: 'RestoredOrganization' }),
  async handle({ caller, path, body, effect }) {
    const deletion = await deletedOrganizationOf(caller, path.id, effect.kysely);
    const { organizationId, name, slug } = await restore(effect, deletion.id, body?.slug);
    return { id: organizationId, name, slug };
  },
});
