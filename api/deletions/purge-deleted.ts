import { z } from 'zod';
import { requestPurgeOfThing } from '../../db/deletions/things/request-purge.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { deletedItemPath, deletedThingOf } from './deleted-item.ts';

export const purgeDeleted = operation({
  method: 'POST',
  url: '/api/v1/deleted/{kind}/{id}/purge',
  summary: 'Purge a deleted service, database, volume, environment or project now',
  description:
    'Its rows and its data on clusters are deleted, and nothing can be restored afterwards. What is in it goes with it. A failed purge is retried.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  credentials: 'session',
  rate: 'deletions',
  problems: ['not-found', 'already-decided'],
  path: deletedItemPath,
  body: z.strictObject({ confirm: z.string().max(255).describe('Its name.') }),
  async handle({ caller, path, body, effect }) {
    const thing = await deletedThingOf(caller, path, effect.kysely);
    if (body.confirm !== thing.name) {
      const message = `must be the name of the ${thing.kind}, ${thing.name}`;
      throw invalidFields([{ location: 'body.confirm', message, value: body.confirm }]);
    }
    await requestPurgeOfThing(effect, thing);
  },
});
