import { ApplyGround, applyGround, imageDigests } from '../seeds/apply-ground.ts';
import { ok } from './client.ts';

export const at = new ApplyGround();
const { call, create, replicas, variable } = at;

export interface Created {
  approval?: { id: string; diff: unknown; impact: unknown; target: unknown };
  deployment: { id: string; state: string; blocker: string; kind: string };
  release: { id: string; number: number; imageRef: string; contentDigest: string; promotedFromReleaseId: string };
  superseded: { deploymentId: string }[];
}

export const promoteTo = (
  toEnvironmentId: string,
  releaseId: string,
  more: object = {},
  as = at.ours.sessions.deployer,
) => call('POST', `/services/${at.service.serviceId}/promote`, { releaseId, toEnvironmentId, ...more }, as);
export const created = async (...of: Parameters<typeof promoteTo>): Promise<Created> => {
  return ok<Created>(await promoteTo(...of), 201);
};

export const liveFrom = async (environmentId: string, ...items: object[]): Promise<string> => {
  const { deployments } = await at.live(environmentId, ...items);
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
  applyGround(at);
}
