import { z } from 'zod';
import { findSource, missingBlobs } from '../../../db/builds/sources/sources.ts';
import { Problem } from '../../../domain/problems.ts';
import { operation } from '../../engine/operation.ts';
import { theService } from '../../services/service.ts';
import { sourceAnswer, sourceSchema } from './source.ts';

export const getSource = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/sources/{sourceId}',
  summary: 'Get an uploaded source of a service, and which blobs of it are still missing',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: z.strictObject({ id: z.guid().toLowerCase(), sourceId: z.guid().toLowerCase() }),
  result: sourceSchema,
  async handle({ caller, path, database: { kysely } }) {
    const service = await caller.see(theService, path.id);
    const source = await findSource(kysely, service, path.sourceId);
    if (source === undefined) {
      throw new Problem(
        'not-found',
        'The service has no such source: one goes a day after its last build. Upload the folder again.',
      );
    }
    return sourceAnswer(source, await missingBlobs(kysely, service.organizationId, source.id));
  },
});
