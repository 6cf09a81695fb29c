import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type Answered, type RunningApi, runningApi, type Seeded, seed } from '../installation/running-api.ts';
import { seedService } from '../seeds/seed-service.ts';

export let api: RunningApi;
export let ours: Seeded;
export let environmentId: string;
export let serviceId: string;

export interface Imported {
  revision: number;
  staged: boolean;
  changes: { key: string; change: string; secret: boolean; looksSecret: boolean; from: string; to: string }[];
}

export const url = () => `/api/v1/environments/${environmentId}`;
export const put = (body: unknown) =>
  api.call('PUT', `${url()}/change-set/items`, { as: ours.sessions.deployer, body });
export const send = (text: string, more: object = {}) =>
  api.call('POST', `${url()}/variables/import`, { as: ours.sessions.deployer, body: { serviceId, text, ...more } });
export const imported = (answered: Answered): Imported => {
  expect(answered.status, answered.text).toBe(200);
  return answered.body as unknown as Imported;
};

/** An environment with a service for each test, into which variables are imported. */
export function imports(): void {
  beforeAll(async () => {
    api = await runningApi();
    ours = await seed(api.database);
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    const body = { name: `Project ${crypto.randomUUID()}` };
    const made = await api.call('POST', '/api/v1/projects', { as: ours.sessions.admin, body });
    const created = made.body as { project: { id: string }; environments: { id: string }[] };
    environmentId = created.environments[1]?.id ?? '';
    const place = { organizationId: ours.organizationId, projectId: created.project.id };
    ({ serviceId } = await seedService(api.database, place));
    await put({ kind: 'service.create', serviceId });
  });
}
