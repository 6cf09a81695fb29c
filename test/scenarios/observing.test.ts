import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Installation } from '../installation/installation.ts';
import { metricsToken } from '../installation/metrics-token.ts';

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

const spans: (Span & { from: string })[] = [];
let collector: Server;
let installation: Installation;

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans) {
      const attributes: { key: string; value: { stringValue?: string } }[] = resource.attributes;
      const from = attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      for (const { spans: sent } of scopeSpans) for (const span of sent) spans.push({ ...span, from });
    }
    response.end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  installation = await Installation.start('observing', { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await installation.remove();
  collector.close();
});

test('one trace leads from the request through the actor to its activities, and logs name request and actor', async () => {
  const { id, slug, owner } = await installation.organization();
  const deleted = await installation.call('DELETE', `/api/v1/organizations/${id}`, {
    as: owner,
    body: { confirmSlug: slug },
  });
  expect(deleted.status).toBe(204);
  const list = await installation.call('GET', '/api/v1/deleted-organizations', { as: owner, organization: '' });
  const [deletion] = list.body.items as { id: string }[];
  const purge = `/api/v1/deleted-organizations/${deletion?.id}/purge`;
  const asked = await installation.call('POST', purge, { as: owner, organization: '', body: { confirmSlug: slug } });
  expect(asked.status).toBe(204);
  const activity = await installation.until(
    'the span of the last activity',
    async () => spans.find(({ name }) => name === 'RunActivity:finishDeletion'),
    30,
  );
  expect(activity.from).toBe('ballast-worker');
  const trace = await installation.until(
    'the span of the request',
    async () => {
      const found = spans.filter(({ traceId }) => traceId === activity.traceId);
      return found.some(({ from }) => from === 'ballast-api') && found;
    },
    30,
  );
  const known = new Map(trace.map((span) => [span.spanId, span]));
  let root: Span = activity;
  for (let above = known.get(root.parentSpanId ?? ''); above; above = known.get(root.parentSpanId ?? '')) root = above;
  expect(root.name).toContain('organizations.delete');

  const log = readFileSync(join(installation.home, 'logs', 'worker.log'), 'utf8');
  const lines = log
    .split('\n')
    .filter((line) => line.includes(`deletion/${deletion?.id}`) && line.includes('new phase'));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toContain(deleted.headers.get('x-request-id'));
});

test('the metrics tell of requests, pool, outbox, feed and the worker', async () => {
  const text = await installation.until('the metrics of the worker', async () => {
    const answer = await fetch(`${installation.url}/metrics`, {
      headers: { authorization: metricsToken(installation.home) },
    });
    expect(answer.status).toBe(200);
    const all = await answer.text();
    return all.includes('temporal_workflow_task_execution_latency') && all;
  });
  for (const name of [
    'http_request_seconds',
    'pool',
    'outbox_depth',
    'outbox_oldest_seconds',
    'feed_lag',
    'temporal',
  ]) {
    expect(text, name).toMatch(new RegExp(`^[a-z_]*${name}[a-z_]*(\\{.*\\})? [0-9.e+-]+$`, 'm'));
  }
  expect(text).toMatch(
    /operation="organizations\.delete".*status="204"|status="204".*operation="organizations\.delete"/,
  );
  expect((await fetch(`${installation.url}/metrics`)).status).toBe(403);
});
