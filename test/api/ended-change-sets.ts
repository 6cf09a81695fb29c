import { afterAll, beforeAll, beforeEach } from 'vitest';
import { settle } from '../../db/change-sets/settle.ts';
import { effect } from '../../db/engine/effect.ts';
import { type Applied, ApplyGround } from '../seeds/apply-ground.ts';
import { machine } from '../seeds/seed.ts';
import { seedService } from '../seeds/seed-service.ts';

export const at = new ApplyGround();
export const { apply, call, create, draft, finish, goLive, stage, variable, variablesOf } = at;

export let other = { serviceId: '', processId: '' };

export const act = (id: string, verb: 'retry' | 'revert' | 'cancel', body?: object) =>
  call('POST', `/change-sets/${id}/${verb}`, body);
export const addOther = () => ({ kind: 'service.create', serviceId: other.serviceId });
export const deploymentOf = ({ deployments }: Applied, serviceId: string) =>
  deployments.find((one) => one.serviceId === serviceId)?.id ?? '';
export const stateOf = async (id: string) =>
  ((await call('GET', `/change-sets/${id}`)).body.changeSet as { state: string }).state;

/** As its actor does when a deployment has ended. */
export const settled = async ({ changeSet: { id } }: Applied): Promise<string> => {
  const ref = { changeSetId: id, organizationId: at.ours.organizationId };
  await effect(at.api.database, machine, (settling) => settle(settling, ref));
  return await stateOf(id);
};

/** Two services for each test, whose change sets end. */
export function endedChangeSets(): void {
  beforeAll(() => at.open());
  beforeEach(async () => {
    await at.begin();
    const place = { organizationId: at.ours.organizationId, projectId: at.projectId };
    other = await seedService(at.api.database, place, { image: `${at.host}/other:1` });
  });
  afterAll(() => at.close());
}
