import { pino } from 'pino';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { payloadKeys } from '../../temporal/connection/open.ts';
import { prepareNamespace } from '../../temporal/connection/prepare-namespace.ts';
import { createDelivery } from '../../temporal/delivery/delivery.ts';
import { startRelay } from '../../worker/duties/relay.ts';
import { installSdkOnce, serve } from '../actors/actors.ts';
import { groundTemporal } from '../ground/ground-temporal.ts';
import { proxyTo, type TcpProxy } from '../ground/proxy.ts';
import { type RunningApi, runningApi, type Seeded, seed } from '../installation/running-api.ts';

export const namespace = `workflows-${uuid()}`;
export const log = pino({ level: 'silent' });
export let proxy: TcpProxy;
export let api: RunningApi;
export let ours: Seeded;
export let relay: ReturnType<typeof startRelay>;
export let stopServing: () => Promise<void>;

export interface Step {
  id: string;
  run: number;
  kind: string;
  title: string;
  detail: string;
  outcome: string;
  events?: { id: number; type: string; attributes: Record<string, unknown> }[];
}

export const as = () => ({ as: ours.tokens.admin });
export const get = async (path: string) => {
  const answered = await api.call('GET', `/api/v1/workflows${path}`, as());
  expect(answered.status, answered.text).toBe(200);
  return answered.body;
};

/** The whole history, page by page. */
export async function history(id: string, query = '', limit = 200): Promise<Step[]> {
  const steps: Step[] = [];
  for (let cursor = ''; ; ) {
    const page = await get(`/${id}/history?limit=${limit}${query}${cursor}`);
    steps.push(...(page.items as Step[]));
    if (page.nextCursor === undefined) return steps;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

/** An API and a worker on a Temporal that can be cut off from the API. */
export function toldWorkflows(): void {
  beforeAll(async () => {
    proxy = await proxyTo(inject('ground').temporal.address);
    api = await runningApi({ namespace, temporalAt: proxy.address });
    await prepareNamespace(api.temporal);
    await installSdkOnce();
    const { database, keyring, temporal } = api;
    const ground = { database, keyring, keys: payloadKeys(keyring), temporal, log };
    stopServing = await serve(await groundTemporal(namespace), ground);
    // The API tries each delivery once. One that meets the connection which these tests cut is the relay's.
    relay = startRelay({ database, delivery: createDelivery({ database, temporal, log }), log });
    ours = await seed(database);
  });
  afterAll(async () => {
    await relay.stop();
    await stopServing();
    await api.close();
    await proxy.close();
  });
}
