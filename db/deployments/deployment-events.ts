import { v7 as uuid } from 'uuid';
import type { DeploymentBlocker, DeploymentEventKind, DeploymentStage } from '../../domain/deployments/states.ts';
import type { Effect } from '../engine/effect.ts';
import type { DeploymentRef } from './rollout.ts';

interface Happened {
  kind: DeploymentEventKind;
  /** One of an occasion: told again, it changes nothing. */
  occasion: string;
  stage?: DeploymentStage;
  blocker?: DeploymentBlocker | '';
  message?: string;
  decision?: string;
  decidedBy?: string;
}

export async function tellDeploymentEvents(
  { kysely }: Effect,
  { deploymentId, organizationId }: DeploymentRef,
  happened: readonly Happened[],
): Promise<void> {
  if (happened.length === 0) return;
  await kysely
    .insertInto('deployment_event')
    .values(
      happened.map(({ kind, occasion, stage = '', blocker = '', message = '', decision = '', decidedBy = '' }) => ({
        ...{ id: uuid(), organization_id: organizationId, deployment_id: deploymentId, kind, occasion },
        ...{ stage, blocker, message, decision, decided_by: decidedBy },
      })),
    )
    .onConflict((conflict) => conflict.columns(['deployment_id', 'occasion']).doNothing())
    .execute();
}
