import { z } from 'zod';
import { auditAfter } from '../../db/change-sets/after/applied-set.ts';
import { planChanges } from '../../db/change-sets/apply/plan.ts';
import { listChangeSets as list } from '../../db/change-sets/change-sets.ts';
import { cancelChangeSet as cancel, retryChangeSet as retry, servicesToRetry } from '../../db/change-sets/retry.ts';
import { revertChangeSet as revert } from '../../db/change-sets/revert.ts';
import { viewOf } from '../../db/change-sets/view.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { theEnvironment } from '../environments/environment.ts';
import { applyBody, applyChangeSet, applyProblems, applyResultSchema, resultOf } from './apply-change-set.ts';
import { changeSetAnswer, changeSetSchema, changeSetViewAnswer, changeSetViewSchema } from './change-set.ts';
import { deleteItem, discardDraft, draftOf, getDraft, placeOf, putItem, putItems, theChangeSet } from './draft.ts';
import { resolveSources } from './resolve-images.ts';

const cancelChangeSet = operation({
  method: 'POST',
  url: '/api/v1/change-sets/{id}/cancel',
  summary: 'Cancel a change set that waits or is applied',
  description:
    'Of one that is held, the changes return to the draft. Of one that is applying, deployments that wait end at once and those that roll return to the live release; what went live stays. It ends as cancelled, or as failed where something of it is live.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'already-decided'],
  of: theChangeSet,
  result: changeSetSchema,
  async handle({ found: changeSet, caller, path, effect, server }) {
    const { name } = await caller.see(theEnvironment, changeSet.environmentId, effect.kysely);
    const deployments = await cancel(effect, server.keyring, changeSet, caller.countsAs);
    auditAfter(effect, changeSet, 'cancelled', name, { deployments });
    return changeSetAnswer(await caller.see(theChangeSet, path.id, effect.kysely));
  },
});

const retryBody = z.strictObject(
  applyBody.pick({ message: true, reason: true, downtimeAccepted: true, source: true }).shape,
);

const retryChangeSet = operation({
  method: 'POST',
  url: '/api/v1/change-sets/{id}/retry',
  summary: 'Deploy again what of a change set did not go live',
  description:
    'Its services that failed or were cancelled are deployed again with their settings as they are, as a change set of its own, which waits for an approval where one is needed. What is staged stays staged.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: applyProblems,
  of: theChangeSet,
  body: retryBody.optional(),
  result: applyResultSchema,
  ownEffect: true,
  async handle({ found: seen, caller, path, body, once, server }) {
    const { message, reason, downtimeAccepted, source } = body ?? retryBody.parse({});
    const environment = await caller.see(theEnvironment, seen.environmentId);
    const serviceIds = await servicesToRetry(server.database.kysely, seen);
    // No items have its id yet: the services are deployed as they are applied.
    const { kysely } = server.database;
    const { affected } = await planChanges(kysely, placeOf(environment), crypto.randomUUID(), serviceIds);
    const { images, commits } = await resolveSources({ caller, server }, environment, affected);
    return await once(async (retrying) => {
      const changeSet = await caller.see(theChangeSet, path.id, retrying.kysely);
      const { production, projectId, name } = await caller.see(theEnvironment, environment.id, retrying.kysely);
      const place = { ...placeOf(environment), projectId, production };
      const title = message || `Retry${changeSet.title === '' ? '' : `: ${changeSet.title}`}`.slice(0, 500);
      const asked = { title, reason, downtimeAccepted, source, commits, answerableId: caller.answerableId };
      const applied = await retry(retrying, server.keyring, changeSet, place, images, asked);
      const { changeSetId, deployments } = applied;
      auditAfter(retrying, changeSet, 'retried', name, { changeSet: changeSetId, deployments: deployments.length });
      return await resultOf(retrying.kysely, caller.organization.id, changeSetId, applied);
    });
  },
});

const revertResultSchema = z
  .object({
    draft: changeSetViewSchema.describe("The environment's staged changes, with the inverse ones."),
    skipped: z
      .array(z.object({ itemId: z.guid(), label: z.string(), reason: z.string() }))
      .describe('Changes that are not taken back, and why.'),
  })
  .meta({ id: 'RevertResult' });

const revertChangeSet = operation({
  method: 'POST',
  url: '/api/v1/change-sets/{id}/revert',
  summary: 'Stage the inverse of a change set',
  description:
    'Of each change whose value is still what the change set made of it; the others are named. Nothing is deployed until the draft is applied.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict'],
  of: theChangeSet,
  result: revertResultSchema,
  async handle({ found: changeSet, caller, effect, server }) {
    const environment = await caller.see(theEnvironment, changeSet.environmentId, effect.kysely);
    const { staged, skipped } = await revert(effect, server.keyring, changeSet, caller.countsAs);
    auditAfter(effect, changeSet, 'reverted', environment.name, { changes: staged, skipped: skipped.length });
    return { draft: changeSetViewAnswer(await draftOf(effect.kysely, environment)), skipped };
  },
});

const getChangeSet = operation({
  method: 'GET',
  url: '/api/v1/change-sets/{id}',
  summary: 'Get a change set with its changes',
  description: 'Of a draft, too: applying it keeps its id.',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theChangeSet,
  result: changeSetViewSchema,
  async handle({ found: changeSet, database }) {
    return changeSetViewAnswer(await viewOf(database.kysely, changeSet, changeSet));
  },
});

const listChangeSets = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/change-sets',
  summary: 'List the change sets of an environment that were applied, newest first',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theEnvironment,
  paged: { after: createdPosition },
  result: changeSetSchema,
  async handle({ found: environment, page, database }) {
    const found = await list(database.kysely, environment, oneMore(page));
    return pageOf(found, page, changeSetAnswer);
  },
});

export const changeSets = {
  draft: getDraft,
  putItem,
  putItems,
  deleteItem,
  discard: discardDraft,
  applyDraft: applyChangeSet,
  get: getChangeSet,
  list: listChangeSets,
  retry: retryChangeSet,
  revert: revertChangeSet,
  cancel: cancelChangeSet,
};
