import { afterAll, beforeEach } from 'vitest';
import { type Options, type RunningApi, runningApi } from '../installation/running-api.ts';
import type { Organization } from './client.ts';

/** The API of a file of tests, closed when they are over. */
export async function fileApi(options: Options = {}): Promise<RunningApi> {
  const api = await runningApi(options);
  afterAll(() => api.close());
  return api;
}

/** The same with an organization. */
export async function ownApi(options: Options = {}): Promise<{ api: RunningApi; ours: Organization }> {
  const api = await fileApi(options);
  return { api, ours: await api.organization() };
}

/** The same with a new organization for each test, which is written into the same object. */
export async function renewedApi(options: Options = {}): Promise<{ api: RunningApi; ours: Organization }> {
  const api = await fileApi(options);
  const ours = {} as Organization;
  beforeEach(async () => void Object.assign(ours, await api.organization()));
  return { api, ours };
}
