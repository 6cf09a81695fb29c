import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { deleteOrganization as commitDeletion } from '../../../db/deletions/deletions.ts';
import { effect } from '../../../db/engine/effect.ts';
import type { JsonObject } from '../../../db/postgres/json.ts';
import { Installation } from '../../installation/installation.ts';
import { metricsToken } from '../../installation/metrics-token.ts';
import { call } from '../../installation/running-api.ts';
import { partNames } from '../../installation/running-parts.ts';
import { secretsInLogs } from '../../installation/secrets-in-logs.ts';
import { story } from '../../installation/story.ts';
import { deleteOrganization, ended, purgeNow, toldEverything } from '../../seeds/deletion.ts';
import { machine } from '../../seeds/seed.ts';

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

const spans: (Span & { from: string })[] = [];

const collector = createServer(async (request, response) => {
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
const installation = await Installation.start('observing', {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  // As much as a person would ever turn on to find a fault.
  LOG_LEVEL: 'trace',
});
const database = await installation.database();
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
  const activity = await installation.until('the span of the last activity', async () =>
    spans.find(({ name }) => name === 'RunActivity:finishDeletion'),
  );
  expect(activity.from).toBe('ballast-worker');
  const trace = await installation.until('the span of the request', async () => {
    const found = spans.filter(({ traceId }) => traceId === activity.traceId);
    return found.some(({ from }) => from === 'ballast-api') && found;
  });
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

/** An entry that was tried nine times in vain: the next failure makes it a poisoned one. */
async function entry(actorId: string, organizationId: string, body: JsonObject): Promise<void> {
  await database.kysely
    .insertInto('outbox')
    .values({
      actor_id: actorId,
      organization_id: organizationId,
      kind: 'message',
      message: 'purgeNow',
      body,
      author: { kind: 'machine', id: 'test', name: 'test' },
      attempts: 9,
    })
    .execute();
}

/** Committed by a process that tells nobody, as if it had died just then: the relay alone is left to deliver it. */
async function deletedAndPurgedByTheRelay(): Promise<void> {
  const { kysely } = database;
  const { id } = await installation.organization();
  await kysely.updateTable('organization').set({ deleted_retention_hours: 0 }).where('id', '=', id).execute();
  const deletion = await effect(database, machine, (running) => commitDeletion(running, id));
  await installation.until('the relay has delivered it', async () => {
    const row = await kysely
      .selectFrom('deletion')
      .select('state')
      .where('id', '=', deletion?.deletionId ?? '')
      .execute();
    return row[0]?.state === 'purged';
  });
}

async function poisoned(): Promise<string[]> {
  return ((await installation.readiness())?.poisoned ?? []).map(({ actorId }) => actorId);
}

test('poisoned entries are named in /readyz and /metrics and delay nobody else', async () => {
  const [blocked, other] = await Promise.all([installation.organization(), installation.organization()]);
  const deletion = await deleteOrganization(installation, blocked);
  await toldEverything(installation, deletion.actor);

  // Of an actor that no version knows, and of one that is alive and cannot take what it is told: it is too large.
  const unknown = `teleport/${uuid()}`;
  await entry(unknown, blocked.id, {});
  await entry(deletion.actor, blocked.id, { ballast: 'x'.repeat(6_000_000) });
  await installation.until('both are named', async () => {
    const named = await poisoned();
    return named.includes(unknown) && named.includes(deletion.actor);
  });

  // The entry is reported and blocks nothing else: the installation is ready, and other actors begin and end.
  const readiness = await installation.readiness();
  expect(readiness?.ready).toBe(true);
  expect(readiness?.parts.outbox?.detail).toContain('2 entries cannot be delivered');
  const { text } = await installation.call('GET', '/metrics', {
    headers: { authorization: metricsToken(installation.home) },
  });
  expect(text).toMatch(/^ballast_outbox_poisoned 2$/m);
  const unhindered = await deleteOrganization(installation, other);
  await purgeNow(installation, unhindered);
  expect((await ended(installation, unhindered)).state).toBe('purged');
  await deletedAndPurgedByTheRelay();
  // None of that waited for them: they are still there.
  expect((await poisoned()).sort()).toEqual([deletion.actor, unknown].sort());

  // The owner of the blocked one sees why it does not move; what comes after the poison waits behind it, in order.
  await purgeNow(installation, deletion);
  const as = blocked.owner;
  const { body } = await installation.call('GET', '/api/v1/deleted-organizations', { as, organization: '' });
  expect(body.items).toMatchObject([
    { state: 'retained', blocker: expect.stringMatching(/^Messages cannot be delivered/) },
  ]);
  expect(await poisoned()).toContain(deletion.actor);

  // An operator takes the poison away: what waited is told.
  await database.kysely.deleteFrom('outbox').where('attempts', '>=', 9).execute();
  const row = await ended(installation, deletion);
  expect(row).toMatchObject({ state: 'purged', blocker: null });
  await installation.until('nothing is poisoned any more', async () => (await poisoned()).length === 0);
});

test('no secret is in any log, after all that people do and all that they do wrong', async () => {
  await story({ installation, urls: [installation.url] });
  const { token } = await installation.token('admin');
  const { owner } = await installation.organization();
  const cookie = { as: owner };
  // Secrets where they do not belong, in requests that are refused.
  const teams = `${installation.url}/api/v1/teams`;
  await Promise.all([
    call(`${teams}?access_token=${token}`, 'GET'),
    call(`${teams}/${token}`, 'DELETE', cookie),
    call(`${installation.url}/${owner.session}`, 'GET'),
    call(teams, 'POST', { ...cookie, body: { name: token, secret: owner.session } }),
    call(teams, 'POST', { ...cookie, body: `{"name": "${token}` }),
    call(teams, 'GET', { headers: { authorization: `Basic ${token}` } }),
    call(teams, 'GET', { headers: { cookie: `svc_session=${owner.session}; svc_session=${owner.session}` } }),
    call(teams, 'GET', { headers: { 'x-request-id': token, authorization: `Bearer ${token}` } }),
    call(teams, 'POST', { ...cookie, body: { name: 'Team' }, headers: { 'idempotency-key': token } }),
  ]);

  // Parts that break while they are used say what has happened to them.
  const before = installation.parts.pid('postgres');
  installation.parts.kill('postgres');
  await Promise.all(Array.from({ length: 20 }, () => call(teams, 'GET', { as: { token, id: '' } })));
  await installation.replaced('postgres', before);

  for (const part of partNames) expect(readdirSync(join(installation.home, 'logs'))).toContain(`${part}.log`);
  const api = readFileSync(join(installation.home, 'logs', 'api.log'), 'utf8');
  expect(api.includes('"operation":"teams.create"')).toBe(true);
  expect(secretsInLogs(installation)).toEqual([]);
});

test('the search would find one', () => {
  const [secret = ''] = installation.secrets;
  const log = join(installation.home, 'logs', 'planted.log');
  writeFileSync(log, `{"msg":"request","authorization":"Bearer ${secret}"}\n`);
  expect(secretsInLogs(installation)).toEqual([expect.stringContaining('planted.log')]);
});
