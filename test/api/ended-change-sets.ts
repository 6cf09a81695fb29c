import { beforeEach } from 'vitest';
import { settle } from '../../db/change-sets/settle.ts';
import { type Applied, ApplyGround, applyGround } from '../seeds/apply-ground.ts';

export const at = new ApplyGround();
const { call } = at;

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
  await at.api.effect((settling) => settle(settling, ref));
  return await stateOf(id);
};

/** Two services for each test, whose change sets end. */
export function endedChangeSets(): void {
  applyGround(at);
  beforeEach(async () => {
    other = await at.ours.service(at.projectId, { image: `${at.host}/other:1` });
  });
}
