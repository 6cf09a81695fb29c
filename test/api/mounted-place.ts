import { afterAll, beforeAll, expect } from 'vitest';
import { type Applied, ApplyGround, imageDigests } from '../seeds/apply-ground.ts';
import { ok } from './client.ts';

export const at = new ApplyGround();

/** A service whose process has a volume, live in an environment of a project of its own. */
export async function place(kind: 'staging' | 'production' = 'staging') {
  await at.begin();
  at.service = await at.ours.service(at.projectId, { slug: 'store', image: `${at.host}/app@${imageDigests[0]}` });
  const { serviceId, processId } = at.service;
  const environment = at[kind];
  const stage = (...items: object[]) => at.stage(environment, ...items);
  const draft = async () =>
    ok<{
      changeSet: { id: string; downtimeAccepted: boolean };
      items: object[];
      summary: { requiresDowntime: boolean };
    }>(await at.call('GET', `/environments/${environment}/change-set`));
  const apply = (body: object = {}) => at.applyOf(environment, body);
  const live = async (body?: object) => {
    const { deployments } = ok<Applied>(await apply(body));
    await at.goLive(deployments[0]?.id ?? '');
    return deployments[0]?.releaseId ?? '';
  };
  const variable = (value: string) => at.variable('A', value);
  const deployment = async (id: string) =>
    ok<{ downtimeAccepted: boolean }>(await at.call('GET', `/deployments/${id}`)).downtimeAccepted;
  const parts = { environment, serviceId, processId, stage, draft, apply, live, variable, deployment };
  if (kind === 'production') return { ...parts, first: '' };
  const volume = { kind: 'volume.create', processId, key: 'data', value: { mountPath: '/data', sizeBytes: 10 } };
  await stage({ kind: 'service.create', serviceId }, volume);
  expect((await draft()).summary.requiresDowntime).toBe(false);
  return { ...parts, first: await live() };
}

/** An API, and a registry that has every image. */
export function mountedPlaces(): void {
  beforeAll(() => at.open());
  afterAll(() => at.close());
}
