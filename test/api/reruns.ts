import { afterAll, beforeAll, expect } from 'vitest';
import { type Applied, ApplyGround } from '../seeds/apply-ground.ts';

export const at = new ApplyGround();
const { apply, call, create, finish, goLive, stage, variable } = at;

export const rerun = (id: string, body: object = {}, as = at.ours.sessions.deployer) =>
  call('POST', `/deployments/${id}/rerun`, body, as);
export const approvalOf = ({ approval }: Pick<Applied, 'approval'>) => approval?.id ?? '';

/** Live is release 1; release 2 was applied, and failed unless it says otherwise. */
export async function failed(environmentId: string, state: 'failed' | 'cancelled' = 'failed') {
  await at.begin();
  const place = environmentId === 'production' ? at.production : at.staging;
  const applied = async () => {
    const result = await apply(place);
    if (place === at.production) expect((await at.decide(approvalOf(result))).status).toBe(200);
    return { id: result.deployments[0]?.id ?? '', releaseId: result.deployments[0]?.releaseId ?? '' };
  };
  await stage(place, create(), variable('A', '1'));
  const first = await applied();
  await goLive(first.id);
  await stage(place, variable('A', '2'));
  const second = await applied();
  await finish(second.id, state);
  return { place, first, second, applied };
}

/** Projects whose failed deployments are rerun. */
export function reruns(): void {
  beforeAll(() => at.open());
  afterAll(() => at.close());
}
