import { v7 as uuid } from 'uuid';
import { basisOf } from '../../db/approvals/request.ts';
import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import { machine } from './seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from './seed-place.ts';
import { tenantRow } from './tenant-row.ts';

export interface HeldPlace extends SeededPlace {
  deploymentId: string;
  approvalId: string;
  releaseId: string;
  digest: string;
  changeSetId?: string;
}

/** A deployment that is held for its approval, of a change set or by itself. Its actor is the caller's to start. */
export async function holdDeployment(
  database: Database,
  organizationId: string,
  { ofChangeSet = false }: { ofChangeSet?: boolean } = {},
): Promise<HeldPlace> {
  const place = await seedPlace(database, organizationId, { production: true });
  const { projectId, environmentId, serviceId } = place;
  const { id: releaseId, digest } = await seedRelease(database, place, 1);
  const [deploymentId, approvalId] = [uuid(), uuid()];
  const changeSetId = ofChangeSet ? uuid() : undefined;
  const at = { project_id: projectId, environment_id: environmentId };
  if (changeSetId !== undefined) {
    const row = { id: changeSetId, ...at, state: 'held', approval_id: approvalId, source: 'api' };
    await tenantRow(database, 'change_set', organizationId, row);
  }
  await effect(database, machine, async (asking) => {
    const one = {
      ...{ id: deploymentId, environmentId, serviceId, releaseId, approvalId, queue: true },
      ...(changeSetId === undefined ? { kind: 'rollback' as const } : { kind: 'change-set' as const, changeSetId }),
    };
    await admit(asking, { organizationId, projectId }, { event: 'create', deployments: [one] });
  });
  const basis = await basisOf(database, place, [serviceId]);
  await tenantRow(database, 'approval', organizationId, {
    ...{ id: approvalId, ...at, basis: JSON.stringify(basis), requested_by_kind: 'machine' },
    ...(changeSetId === undefined
      ? { kind: 'rollback', deployment_id: deploymentId }
      : { kind: 'change-set', change_set_id: changeSetId }),
    expires_at: new Date(Date.now() + 3_600_000),
  });
  return {
    ...place,
    deploymentId,
    approvalId,
    releaseId,
    digest,
    ...(changeSetId === undefined ? {} : { changeSetId }),
  };
}
