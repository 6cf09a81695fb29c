import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { tenant } from '../../db/postgres/tenant.ts';
import { ApplyGround, imageDigests } from '../seeds/apply-ground.ts';
import { ok } from './client.ts';

export const at = new ApplyGround();
export const { apply, call, create, draft, finish, goLive, releaseOf, replicas, stage, variable, variablesOf } = at;

export interface Created {
  approval?: { id: string; diff: unknown; impact: unknown; target: unknown };
  deployment: { id: string; state: string; blocker: string; kind: string };
  release: { id: string; number: number; imageRef: string; contentDigest: string; promotedFromReleaseId: string };
  superseded: { deploymentId: string }[];
}

export const own = () => tenant(at.api.database.kysely, at.ours.organizationId);
export const decide = (id = '', decision = 'approved') =>
  call('POST', `/approvals/${id}/decide`, { decision }, at.ours.sessions.owner);
export const promoteTo = (
  toEnvironmentId: string,
  releaseId: string,
  more: object = {},
  as = at.ours.sessions.deployer,
) => call('POST', `/services/${at.service.serviceId}/promote`, { releaseId, toEnvironmentId, ...more }, as);
export const created = async (...of: Parameters<typeof promoteTo>): Promise<Created> => {
  const answer = await promoteTo(...of);
  expect(answer.status, answer.text).toBe(201);
  return answer.body as unknown as Created;
};

export const liveFrom = async (environmentId: string, ...items: object[]): Promise<string> => {
  if (items.length > 0) await stage(environmentId, ...items);
  const { approval, deployments } = await apply(environmentId);
  if (approval !== undefined) ok(await decide(approval.id));
  await goLive(deployments[0]?.id ?? '');
  return deployments[0]?.releaseId ?? '';
};

export const sourceIn = async (environmentId: string) =>
  ok<{ source: { imageRepository: string } }>(
    await call('GET', `/services/${at.service.serviceId}?environmentId=${environmentId}`),
  ).source.imageRepository;

export const image = (index: 0 | 1) => `${at.host}/app:1@${imageDigests[index]}`;
export const refusalOf = async (...of: Parameters<typeof promoteTo>) => {
  const { status, body } = await promoteTo(...of);
  return [status, body.detail] as const;
};

/** Production runs the first image, staging the second. */
export async function both(): Promise<{ first: string; second: string }> {
  const first = await liveFrom(at.production, create(), variable('A', 'of production'), replicas(2));
  at.tagged = imageDigests[1];
  const second = await liveFrom(at.staging, create(), variable('A', 'of staging'));
  // The tag means the old image again: nothing may be looked up by it.
  at.tagged = imageDigests[0];
  return { first, second };
}

/** A project for each test, whose releases are promoted. */
export function promotions(): void {
  beforeAll(() => at.open());
  beforeEach(() => at.begin());
  afterAll(() => at.close());
}
