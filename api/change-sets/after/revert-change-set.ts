import { z } from 'zod';
import { auditAfter } from '../../../db/change-sets/after/applied-set.ts';
import { revertChangeSet as revert } from '../../../db/change-sets/after/revert.ts';
import { operation } from '../../engine/operation.ts';
import { theEnvironment } from '../../environments/environment.ts';
import { changeSetViewAnswer, changeSetViewSchema } from '../change-set.ts';
import { draftOf, idPath, theChangeSet } from '../draft.ts';

const revertResultSchema = z
  .object({
    draft: changeSetViewSchema.describe("The environment's staged changes, with the inverse ones."),
    skipped: z
      .array(z.object({ itemId: z.guid(), label: z.string(), reason: z.string() }))
      .describe('Changes that are not taken back, and why.'),
  })
  .meta({ id: 'RevertResult' });

export const revertChangeSet = operation({
  method: 'POST',
  url: '/api/v1/change-sets/{id}/revert',
  summary: 'Stage the inverse of a change set',
  description:
    'Of each change whose value is still what the change set made of it; the others are named. Nothing is deployed until the draft is applied.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict'],
  path: idPath,
  result: revertResultSchema,
  async handle({ caller, path, effect, server }) {
    const changeSet = await caller.see(theChangeSet, path.id, effect.kysely);
    const environment = await caller.see(theEnvironment, changeSet.environmentId, effect.kysely);
    const { staged, skipped } = await revert(effect, server.keyring, changeSet, caller.countsAs);
    auditAfter(effect, changeSet, 'reverted', environment.name, { changes: staged, skipped: skipped.length });
    return { draft: changeSetViewAnswer(await draftOf(effect.kysely, environment)), skipped };
  },
});
