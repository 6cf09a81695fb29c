import { sql } from 'kysely';
import { afterAll, beforeAll, expect } from 'vitest';
import { emptyDefinition, noSource } from '../../domain/services/settings.ts';
import type { Organization } from '../api/client.ts';
import { type Credential, type RunningApi, runningApi } from '../installation/running-api.ts';
import { seedService } from '../seeds/seed-service.ts';
import { tenantRow } from '../seeds/tenant-row.ts';

export let api: RunningApi;
export let ours: Organization;

export const call = async (method: string, path: string, as: Credential, body?: unknown) =>
  await api.as(as).call(method, path, body);
export const ok = async (method: string, path: string, as: Credential, body?: unknown) => {
  const answered = await call(method, path, as, body);
  expect(answered.status, answered.text).toBeLessThan(300);
  return answered.body;
};

export const decide = (id: string, as: Credential, decision = 'approved') =>
  call('POST', `/approvals/${id}/decide`, as, { decision });
export const tokenOf = async (as: Credential): Promise<Credential> => {
  const made = await ok('POST', '/api-tokens', as, { name: `token ${crypto.randomUUID()}`, role: 'admin' });
  return { token: String(made.secret), id: (made.token as { id: string }).id };
};

/** Asks for the approval of a new service in production; answers the approval's id. */
export async function held(organizationId: string, by: Credential): Promise<{ id: string; environmentId: string }> {
  const made = await ok('POST', '/projects', by, { name: `Project ${crypto.randomUUID()}` });
  const { project, environments } = made as { project: { id: string }; environments: { id: string }[] };
  const { serviceId } = await seedService(api.database, { organizationId, projectId: project.id });
  const environmentId = environments[0]?.id ?? '';
  const view = await ok('PUT', `/environments/${environmentId}/change-set/items`, by, {
    kind: 'service.create',
    serviceId,
  });
  const { id } = view.changeSet as { id: string };
  const applied = await ok('POST', `/change-sets/${id}/apply`, by, {});
  return { id: (applied.approval as { id: string }).id, environmentId };
}

/** A service that is live in production with A=0; stages and applies values there. */
export async function living() {
  const { deployer, owner } = ours.sessions;
  const { projectId, production: environmentId } = await ours.project();
  const digest = `sha256:${'1'.repeat(64)}`;
  const { serviceId } = await ours.service(projectId, { image: `registry.example.com/app@${digest}` });
  const items = `/environments/${environmentId}/change-set/items:batch`;
  const apply = async (...staged: object[]) => {
    const view = await ok('PUT', items, deployer, { items: staged });
    const { id } = view.changeSet as { id: string };
    return (await ok('POST', `/change-sets/${id}/apply`, deployer, {})).approval as { id: string };
  };
  const set = (key: string, value: string) => ({ kind: 'variable.set', serviceId, key, value });
  // No registry is asked: the image is that of a release before.
  const image = { repository: 'registry.example.com/app', digest, own: false };
  const settings = {
    ...emptyDefinition,
    source: { ...noSource, imageRepository: `registry.example.com/app@${digest}` },
  };
  const content = sql<never>`${JSON.stringify({ settings, image, variables: {} })}::jsonb`;
  await tenantRow(api.database, 'release', ours.organizationId, {
    ...{ id: crypto.randomUUID(), project_id: projectId, environment_id: environmentId, service_id: serviceId },
    ...{ number: 1, content, image_ref: 'app', content_digest: digest, runs_as: 1 },
  });
  const first = await apply({ kind: 'service.create', serviceId }, set('A', '0'));
  expect((await decide(first.id, owner)).status).toBe(200);
  const variables = async () => {
    const { items: found } = await ok('GET', `/environments/${environmentId}/variables`, owner);
    return Object.fromEntries((found as { key: string; value: string }[]).map(({ key, value }) => [key, value]));
  };
  return { projectId, environmentId, serviceId, apply, set, variables };
}

export const glass = (id: string, as: Credential, reason: unknown = 'Checkout is down, and nobody else is awake.') =>
  call('POST', `/approvals/${id}/break-glass`, as, { reason });

/** An API whose approvals wait for people. */
export function heldApprovals(): void {
  beforeAll(async () => {
    api = await runningApi();
    ours = await api.organization();
  });
  afterAll(() => api.close());
}
