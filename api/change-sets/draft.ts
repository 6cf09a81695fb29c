import type { Kysely } from 'kysely';
import { z } from 'zod';
import { keepOthers } from '../../db/change-sets/apply/part.ts';
import { findChangeSet } from '../../db/change-sets/change-sets.ts';
import { discardDraft as discard, notADraft, unstage } from '../../db/change-sets/draft/unstage.ts';
import { lockDraft } from '../../db/change-sets/drafts.ts';
import type { EnvironmentRef } from '../../db/change-sets/environment-ref.ts';
import { findItem } from '../../db/change-sets/items.ts';
import { stage } from '../../db/change-sets/stage.ts';
import type { Staged } from '../../db/change-sets/staging.ts';
import { type ChangeSetFullView, changeSetView } from '../../db/change-sets/view.ts';
import { type Effect, tryOut } from '../../db/engine/effect.ts';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { invalidField } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { resource } from '../engine/resource.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';
import { theEnvironment } from '../environments/environment.ts';
import { changeSetViewAnswer, changeSetViewSchema } from './change-set.ts';
import { type ItemBody, itemBody } from './item-bodies.ts';
import { stagedItems } from './staged-items.ts';

export const theChangeSet = resource('change set', findChangeSet, ({ projectId }) => projectId);
const theItem = resource('staged change', findItem, ({ projectId }) => projectId);

/** The environment as the draft's functions name it. */
export function placeOf({ organizationId, id }: EnvironmentView): EnvironmentRef {
  return { organizationId, environmentId: id };
}

/** The draft of an environment that was just seen. `staged`: as who has just staged in it knows already. */
export async function draftOf(
  kysely: Kysely<Tables>,
  environment: EnvironmentView,
  staged?: Staged,
): Promise<ChangeSetFullView> {
  const view = await changeSetView(kysely, placeOf(environment), staged);
  if (view === undefined) throw new Error(`The environment ${environment.id} has no draft.`);
  return view;
}

export const getDraft = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/change-set',
  summary: 'Get the staged changes of an environment',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  result: changeSetViewSchema,
  async handle({ found: environment, database }) {
    return changeSetViewAnswer(await draftOf(database.kysely, environment));
  },
});

export const putItem = operation({
  method: 'PUT',
  url: '/api/v1/environments/{id}/change-set/items',
  summary: 'Stage a change in an environment',
  description:
    'Replaces an earlier change of the same variable, setting, process or service. A change to what is applied already takes the earlier one back.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'capability-missing', 'changed-meanwhile'],
  of: theEnvironment,
  body: itemBody,
  result: changeSetViewSchema,
  async handle({ found: environment, caller, body, effect, server }) {
    const items = await stagedItems(effect, caller, server.settings, environment, [{ item: body, at: 'body' }]);
    const { staged } = await stage(effect, server.keyring, placeOf(environment), items, caller.countsAs);
    return changeSetViewAnswer(await draftOf(effect.kysely, environment, staged));
  },
});

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
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'capability-missing', 'change-set-changed', 'changed-meanwhile'],
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
      throw invalidField('body.serviceIds', 'is of a dry run: leave it out, or set dryRun');
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

export const deleteItem = operation({
  method: 'DELETE',
  url: '/api/v1/change-set-items/{id}',
  summary: 'Discard a staged change',
  description:
    'With a service or a process that it would have added go the changes staged of it; a service that no environment ever had is deleted.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theItem,
  async handle({ found, path, effect }) {
    await unstage(effect, found, path.id);
  },
});

export const discardDraft = operation({
  method: 'DELETE',
  url: '/api/v1/change-sets/{id}',
  summary: 'Discard all staged changes of an environment',
  description:
    'Services that were staged to be added and that no environment ever had are deleted with their processes.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theChangeSet,
  async handle({ found: changeSet, path, effect }) {
    if (changeSet.state !== 'draft') throw notADraft();
    await discard(effect, changeSet, path.id);
  },
});
