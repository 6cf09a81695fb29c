import { z } from 'zod';
import { auditAfter } from '../../../db/change-sets/after/applied-set.ts';
import { retryChangeSet as retry, servicesToRetry } from '../../../db/change-sets/after/retry.ts';
import { planChanges } from '../../../db/change-sets/apply/plan.ts';
import { operation } from '../../engine/operation.ts';
import { theEnvironment } from '../../environments/environment.ts';
import { applyBody, applyProblems, applyResultSchema, resultOf } from '../apply-change-set.ts';
import { idPath, placeOf, theChangeSet } from '../draft.ts';
import { resolveSources } from '../resolve-sources.ts';

const retryBody = z.strictObject(
  applyBody.pick({ message: true, reason: true, downtimeAccepted: true, source: true }).shape,
);

export const retryChangeSet = operation({
  method: 'POST',
  url: '/api/v1/change-sets/{id}/retry',
  summary: 'Deploy again what of a change set did not go live',
  description:
    'Its services that failed or were cancelled are deployed again with their settings as they are, as a change set of its own, which waits for an approval where one is needed. What is staged stays staged.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: applyProblems,
  path: idPath,
  body: retryBody.optional(),
  result: applyResultSchema,
  ownEffect: true,
  async handle({ caller, path, body, once, server }) {
    const { message, reason, downtimeAccepted, source } = body ?? retryBody.parse({});
    const seen = await caller.see(theChangeSet, path.id);
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
