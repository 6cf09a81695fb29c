import { z } from 'zod';
import { listReleases as list } from '../../db/releases/releases.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { theService } from '../services/service.ts';
import { releaseAnswer, releasePath, releaseSchema } from './release.ts';

export const listReleases = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/releases',
  summary: 'List the releases of a service, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: releasePath,
  query: z.strictObject({ environmentId: z.guid().toLowerCase().optional() }),
  paged: { after: createdPosition },
  result: releaseSchema,
  async handle({ caller, path, query, page, database }) {
    const { id: serviceId, organizationId } = await caller.see(theService, path.id);
    const filter = { serviceId, environmentId: query.environmentId };
    const found = await list(database.kysely, organizationId, filter, oneMore(page));
    return pageOf(found, page, ({ id }) => id, releaseAnswer);
  },
});
