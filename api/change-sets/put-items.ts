import { z } from 'zod';
import { stage } from '../../db/change-sets/stage.ts';
import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';
import { changeSetViewAnswer, changeSetViewSchema } from './change-set.ts';
import { draftOf, placeOf } from './draft.ts';
import { itemBody } from './item-bodies.ts';
import { stagedItems } from './staged-items.ts';

export const expectedRevision = z
  .int()
  .min(0)
  .optional()
  .describe("The draft's `revision` that the client saw: if it is another by now, the answer is 409.");

export const putItems = operation({
  method: 'PUT',
  url: '/api/v1/environments/{id}/change-set/items:batch',
  summary: 'Stage several changes in an environment, all or none',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'capability-missing', 'change-set-changed'],
  path: environmentPath,
  body: z.strictObject({ items: z.array(itemBody).min(1).max(500), expectedRevision }),
  result: changeSetViewSchema,
  async handle({ caller, path, body, effect, server }) {
    const environment = await caller.see(theEnvironment, path.id, effect.kysely);
    const placed = body.items.map((item, index) => ({ item, at: `body.items[${index}]` }));
    const items = await stagedItems(effect, caller, server.settings, environment, placed);
    const { staged } = await stage(
      effect,
      server.keyring,
      placeOf(environment),
      items,
      caller.countsAs,
      body.expectedRevision,
    );
    return changeSetViewAnswer(await draftOf(effect.kysely, environment, staged));
  },
});
