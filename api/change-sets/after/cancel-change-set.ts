import { auditAfter } from '../../../db/change-sets/after/applied-set.ts';
import { cancelChangeSet as cancel } from '../../../db/change-sets/after/cancel.ts';
import { operation } from '../../engine/operation.ts';
import { theEnvironment } from '../../environments/environment.ts';
import { changeSetAnswer, changeSetSchema } from '../change-set.ts';
import { idPath, theChangeSet } from '../draft.ts';

export const cancelChangeSet = operation({
  method: 'POST',
  url: '/api/v1/change-sets/{id}/cancel',
  summary: 'Cancel a change set that waits or is applied',
  description:
    'Of one that is held, the changes return to the draft. Of one that is applying, deployments that wait end at once and those that roll return to the live release; what went live stays. It ends as cancelled, or as failed where something of it is live.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'already-decided'],
  path: idPath,
  result: changeSetSchema,
  async handle({ caller, path, effect, server }) {
    const changeSet = await caller.see(theChangeSet, path.id, effect.kysely);
    const { name } = await caller.see(theEnvironment, changeSet.environmentId, effect.kysely);
    const deployments = await cancel(effect, server.keyring, changeSet, caller.countsAs);
    auditAfter(effect, changeSet, 'cancelled', name, { deployments });
    return changeSetAnswer(await caller.see(theChangeSet, path.id, effect.kysely));
  },
});
