import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { admit } from '../../db/deployments/admission.ts';
import { type RunningApi, runningApi } from '../installation/running-api.ts';
import { type Organization, ok } from './client.ts';

export let api: RunningApi;
export let ours: Organization;

/** A registry that has every image. */
export let outside: Server;

export const digest = `sha256:${'1'.repeat(64)}`;
export const call = (method: string, path: string, body?: unknown, as = ours.sessions.deployer) =>
  api.as(as).call(method, path, body);

export interface Applied {
  changeSet: { downtimeAccepted: boolean };
  approval?: { id: string };
  deployments: { id: string; releaseId: string }[];
}

/** A service whose process has a volume, live in an environment. */
export async function place(kind: 'staging' | 'production' = 'staging') {
  const of = await ours.project();
  const image = `127.0.0.1:${(outside.address() as AddressInfo).port}/app@${digest}`;
  const { serviceId, processId } = await ours.service(of.projectId, { slug: 'store', image });
  const environment = of[kind];
  const stage = async (...items: object[]) =>
    ok(await call('PUT', `/environments/${environment}/change-set/items:batch`, { items }));
  const draft = async () =>
    ok<{
      changeSet: { id: string; downtimeAccepted: boolean };
      items: object[];
      summary: { requiresDowntime: boolean };
    }>(await call('GET', `/environments/${environment}/change-set`));
  const apply = async (body: object = {}) =>
    await call('POST', `/change-sets/${(await draft()).changeSet.id}/apply`, body);
  /** As its actor and agent would. */
  const goLive = async (id: string) => {
    await api.effect((one) => admit(one, of, { event: 'claim', id }));
    await api.effect((one) => admit(one, of, { event: 'finish', id, state: 'live' }));
  };
  const live = async (body?: object) => {
    const { deployments } = ok<Applied>(await apply(body));
    await goLive(deployments[0]?.id ?? '');
    return deployments[0]?.releaseId ?? '';
  };
  const variable = (value: string) => ({ kind: 'variable.set', serviceId, key: 'A', value });
  const deployment = async (id: string) =>
    ok<{ downtimeAccepted: boolean }>(await call('GET', `/deployments/${id}`)).downtimeAccepted;
  const parts = { environment, serviceId, processId, stage, draft, apply, goLive, live, variable, deployment };
  if (kind === 'staging') {
    const volume = { kind: 'volume.create', processId, key: 'data', value: { mountPath: '/data', sizeBytes: 10 } };
    await stage({ kind: 'service.create', serviceId }, volume);
    expect((await draft()).summary.requiresDowntime).toBe(false);
    return { ...parts, first: await live() };
  }
  return { ...parts, first: '' };
}

/** An API, and a registry that has every image. */
export function mountedPlaces(): void {
  beforeAll(async () => {
    outside = createServer((_, answer) => void answer.writeHead(200, { 'docker-content-digest': digest }).end());
    await new Promise<void>((resolve) => void outside.listen(0, '127.0.0.1', resolve));
    api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
    ours = await api.organization();
  });
  afterAll(async () => {
    await api.close();
    outside.close();
  });
}
