import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Answered, type RunningApi, runningApi } from '../installation/running-api.ts';
import { type Organization, ok } from './client.ts';

export let api: RunningApi;
export let ours: Organization;
export let environmentId: string;
export let serviceId: string;

export interface Imported {
  revision: number;
  staged: boolean;
  changes: { key: string; change: string; secret: boolean; looksSecret: boolean; from: string; to: string }[];
}

export const url = () => `/environments/${environmentId}`;
export const put = (body: unknown) => ours.sessions.deployer.put(`${url()}/change-set/items`, body);
export const send = (text: string, more: object = {}) =>
  ours.sessions.deployer.post(`${url()}/variables/import`, { serviceId, text, ...more });
export const imported = (answered: Answered) => ok<Imported>(answered);

/** An environment with a service for each test, into which variables are imported. */
export function imports(): void {
  beforeAll(async () => {
    api = await runningApi();
    ours = await api.organization();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    const { projectId, staging } = await ours.project();
    environmentId = staging;
    ({ serviceId } = await ours.service(projectId));
    await put({ kind: 'service.create', serviceId });
  });
}
