import { z } from 'zod';
import { keepOthers } from '../../db/change-sets/apply/part.ts';
import { lockDraft } from '../../db/change-sets/drafts.ts';
import { stage } from '../../db/change-sets/stage.ts';
import type { Staged } from '../../db/change-sets/staging.ts';
import { type Effect, tryOut } from '../../db/engine/effect.ts';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';
import { changeSetViewAnswer, changeSetViewSchema } from './change-set.ts';
import { draftOf, placeOf } from './draft.ts';
import { type ItemBody, itemBody } from './item-bodies.ts';
import { stagedItems } from './staged-items.ts';

export const expectedRevision = z
  .int()
  .min(0)
  .optional()
  .describe("The draft's `revision` that the client saw: if it is another by now, the answer is 409.");

/** Changes that a request stages. */
export const stagedAlong = z.array(itemBody).max(500);

export const putItems = operation({
  method: 'PUT',
  url: '/api/v1/environments/{id}/change-set/items:batch',
  summary: 'Stage several changes in an environment, all or none',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'capability-missing', 'change-set-changed', 'changed-meanwhile'],
  path: environmentPath,
  body: z.strictObject({
    items: stagedAlong.min(1),
    expectedRevision,
    dryRun: z
      .boolean()
      .optional()
      .describe(
        'Answers what would be staged then, with the revision that the draft has, and stages nothing: the same `items` of an apply do it at once.',
      ),
    serviceIds: z
      .array(z.guid().toLowerCase())
      .min(1)
      .max(500)
      .optional()
      .describe('Of a dry run: answers what an apply of these services would apply of it.'),
  }),
  result: changeSetViewSchema,
  ownEffect: true,
  async handle({ caller, path, body, once, server }) {
    const { serviceIds } = body;
    if (serviceIds !== undefined && body.dryRun !== true)
      throw invalidFields([{ location: 'body.serviceIds', message: 'is of a dry run: leave it out, or set dryRun' }]);
    if (body.dryRun !== true) return await once(async (staging) => (await staged(staging)).view);
    const { revision, view } = await tryOut(server.database, caller.author, staged);
    return { ...view, changeSet: { ...view.changeSet, revision } };

    async function staged(effect: Effect) {
      const environment = await caller.see(theEnvironment, path.id, effect.kysely);
      const draft = await lockDraft(effect, placeOf(environment));
      const { items, expectedRevision: expected } = body;
      const known = await stageBodies(effect, caller, server, environment, items, expected);
      if (serviceIds !== undefined) await keepOthers(effect, placeOf(environment), draft, serviceIds);
      const view = await draftOf(effect.kysely, environment, serviceIds === undefined ? known : undefined);
      return { revision: draft.revision, view: changeSetViewAnswer(view) };
    }
  },
});

/** Stages the items of a request, `body.items`, all or none. */
export async function stageBodies(
  effect: Effect,
  caller: OrganizationCaller,
  server: ServerParts,
  environment: EnvironmentView,
  bodies: readonly ItemBody[],
  expected: number | undefined,
): Promise<Staged> {
  const placed = bodies.map((item, index) => ({ item, at: `body.items[${index}]` }));
  const items = await stagedItems(effect, caller, server.settings, environment, placed);
  const place = placeOf(environment);
  return (await stage(effect, server.keyring, place, items, caller.countsAs, expected)).staged;
}
