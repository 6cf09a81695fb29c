import { z } from 'zod';
import { restoreThing } from '../../db/deletions/things/restore-thing.ts';
import { shownKind, shownKinds } from '../../domain/deletions/kinds.ts';
import { operation } from '../engine/operation.ts';
import { deletedItemPath, deletedThingOf } from './deleted-item.ts';
import { restoredSlug } from './restored-slug.ts';
import { stageBack } from './stage-back.ts';
import { stageRestored } from './stage-restored.ts';

export const restoreDeleted = operation({
  method: 'POST',
  url: '/api/v1/deleted/{kind}/{id}/restore',
  summary: 'Restore a deleted service, database, volume, environment or project',
  description:
    'With its id, settings, variables, releases and volumes, and with all that was deleted along with it. It needs the project, or of a volume the service, that it was in. Services that ran are suspended until somebody resumes them. If its slug is taken by now, the answer is 409: give another one. A volume is staged where its process is.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'allowed',
  rate: 'deletions',
  problems: ['not-found', 'conflict', 'already-decided', 'slug-taken'],
  path: deletedItemPath,
  body: z.strictObject({ slug: restoredSlug.optional() }).optional(),
  result: z
    .object({
      id: z.guid(),
      kind: z.enum(shownKinds),
      name: z.string(),
      projectId: z.guid(),
      slug: z.string(),
      stopped: z.boolean().describe('Services of it ran when it was deleted; they are suspended.'),
    })
    .meta({ id: 'Restored' }),
  async handle({ caller, path, body, effect, server }) {
    const thing = await deletedThingOf(caller, path, effect.kysely);
    const { id, kind, name, projectId, slug, stopped, left } = await restoreThing(effect, thing, body?.slug);
    if (kind === 'volume') await stageRestored(effect, server.keyring, caller, id);
    if (left !== undefined) await stageBack(effect, server.keyring, caller, left);
    return { id, kind: shownKind(kind), name, projectId, slug, stopped };
  },
});
