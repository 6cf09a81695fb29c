import { z } from 'zod';
import { deleteOrganization as remove } from '../../db/deletions/deletions.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { confirmedSlug, refuseWrongSlug } from './confirmed-slug.ts';

export const deleteOrganization = operation({
  method: 'DELETE',
  url: '/api/v1/organizations/{id}',
  summary: 'Delete an organization',
  description:
    'The organization is hidden at once, and its tokens and streams end. Its owners can restore it until the retention has passed; then it is purged.',
  scope: 'organization',
  role: 'owner',
  credentials: 'session',
  projectTokens: 'refused',
  rate: 'deletions',
  problems: ['not-found', 'already-decided'],
  path: z.strictObject({ id: z.guid() }),
  body: z.strictObject({ confirmSlug: confirmedSlug }),
  async handle({ caller, path, body, effect }) {
    const organization = caller.ownOrganization(path.id);
    refuseWrongSlug(body.confirmSlug, organization.slug);
    const deletion = await remove(effect, organization.id);
    if (deletion === undefined) throw new Problem('already-decided', 'The organization was deleted a moment ago.');
  },
});
