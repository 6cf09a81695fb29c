import { listBuilds } from '../../db/builds/builds.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { theService } from '../services/service.ts';
import { buildAnswer, buildPath, buildSchema } from './build.ts';

export const listServiceBuilds = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/builds',
  summary: 'List builds of a service, newest first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: buildPath,
  paged: { after: createdPosition },
  result: buildSchema,
  async handle({ caller, path, database, page }) {
    const { id: serviceId } = await caller.see(theService, path.id);
    const found = await listBuilds(database.kysely, caller.organization.id, { serviceId }, oneMore(page));
    return pageOf(found, page, ({ id }) => id, buildAnswer);
  },
});
