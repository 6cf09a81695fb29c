import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { effect } from '../../db/engine/effect.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { createDelivery } from '../../temporal/delivery/delivery.ts';
import { actorsGround, deletedOrganization, tester } from '../../test/actors/actors.ts';
import { groundTemporal } from '../../test/ground/ground-temporal.ts';
import { until } from '../../test/ground/until.ts';
import { startTracing } from './tracing.ts';

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

const spans: Span[] = [];

const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString());
  for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
  response.end('{}');
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const tracing = startTracing(`http://127.0.0.1:${(collector.address() as AddressInfo).port}/`);
const ground = await actorsGround();
const stopServing = await ground.serve({ tracing });

afterAll(async () => {
  await stopServing();
  await ground.close();
  collector.close();
});

test('one trace leads from the request through the actor to its activities', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const parent = 'b7ad6b7169203331';
  const address = await groundTemporal(ground.temporal.namespace);
  const interceptors = tracing.clientInterceptors;
  const temporal = connectTemporal({ ...address, keys: ground.keys, interceptors });
  const delivery = createDelivery({ database: ground.database, temporal, log: ground.log });
  const { actor } = await deletedOrganization(ground.database, 0);
  await effect(ground.database, tester, ({ kysely }) =>
    kysely
      .updateTable('outbox')
      .set({ trace: { traceparent: `00-${traceId}-${parent}-01` } })
      .where('actor_id', '=', actor)
      .execute(),
  );
  await delivery.deliver(actor);
  await temporal.client.workflow.getHandle(actor).result();
  await temporal.close();
  await tracing.shutdown();
  const mine = await until('the spans', async () => {
    const found = spans.filter((span) => span.traceId === traceId);
    return found.some(({ name }) => name.includes('finishDeletion')) && found;
  });
  const named = (name: string) => mine.find((span) => span.name === name);
  const started = named('StartWorkflow:deletion');
  const run = named('RunWorkflow:deletion');
  expect(started?.parentSpanId).toBe(parent);
  expect(run?.parentSpanId).toBe(started?.spanId);
  expect(named('StartActivity:claimPurge')?.parentSpanId).toBe(run?.spanId);
  expect(named('RunActivity:claimPurge')?.parentSpanId).toBe(named('StartActivity:claimPurge')?.spanId);
});
