import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { lockAdmission } from '../../db/deployments/admission.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { until } from '../../test/ground/until.ts';
import { type Answered, runningApi } from '../../test/installation/running-api.ts';

/** How often the registry was asked for a digest, and what holds each of its answers back, which are statuses. */
let asked = 0;
let gates: PromiseWithResolvers<number>[] = [];
let projectId: string;
let environmentId: string;
let draftId: string;

const outside = createServer(async ({ method }, answer) => {
  // The platforms of the image are not known there.
  if (method === 'GET') return void answer.writeHead(404).end();
  asked += 1;
  const status = (await gates[asked - 1]?.promise) ?? 200;
  answer.writeHead(status, { 'docker-content-digest': `sha256:${'1'.repeat(64)}` }).end();
});
await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(outside.address() as AddressInfo).port}`;
const api = await runningApi({ env: { OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' } });
const ours = await api.organization();
afterAll(async () => {
  await api.close();
  outside.close();
});

beforeEach(async () => {
  [asked, gates] = [0, []];
  ({ projectId, staging: environmentId } = await ours.project());
  const { serviceId } = await ours.service(projectId, { image: `${host}/app:1` });
  const path = `/environments/${environmentId}/change-set/items`;
  const staged = await ours.tokens.deployer.put(path, { kind: 'service.create', serviceId });
  draftId = (staged.body.changeSet as { id: string }).id;
});

const apply = (key: string, { message = 'First', by = api } = {}) =>
  by.call('POST', `/api/v1/change-sets/${draftId}/apply`, {
    as: ours.tokens.deployer,
    body: { message },
    headers: { 'idempotency-key': key },
  });
const isReplayed = ({ headers }: Answered) => headers.get('idempotent-replayed') === 'true';

/** All that applying makes of the project, counted. */
async function made(): Promise<Record<string, number>> {
  const rows = await api.sql<Record<string, number>>`
    select (select count(*)::int from change_set where project_id = ${projectId}) as sets,
      (select count(*)::int from release where project_id = ${projectId}) as releases,
      (select count(*)::int from deployment where project_id = ${projectId}) as deployments,
      (select count(*)::int from audit_record where action = 'change_set.applied' and subject_id = ${draftId}) as records
  `;
  return rows[0] ?? {};
}
const once = { sets: 1, releases: 1, deployments: 1, records: 1 };

test('a repeat gets the first answer, asks no registry, and says that it is one', async () => {
  const first = await apply('again');
  expect([first.status, isReplayed(first)]).toEqual([200, false]);
  const second = await apply('again');
  expect([second.status, second.text, isReplayed(second)]).toEqual([200, first.text, true]);
  expect([asked, await made()]).toEqual([1, once]);
});

test('the same key with another body is 422 at the header, and another key finds nothing to apply', async () => {
  await apply('other');
  expectProblem(await apply('other', { message: 'Second' }), 422, [{ location: 'header.Idempotency-Key' }]);
  expect((await apply('another')).status).toBe(409);
  expect(await made()).toEqual(once);
});

test('of two at the same time, both with the registry, one applies; the other is told the same, or to ask again', async () => {
  const twin = await api.twin();
  gates = [Promise.withResolvers(), Promise.withResolvers()];
  const both = [apply('both'), apply('both', { by: twin })];
  await until('both ask the registry', async () => asked === 2);
  for (const gate of gates) gate.resolve(200);
  const answers = await Promise.all(both);
  await twin.close();
  const done = answers.filter(({ status }) => status === 200);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  const others = answers.filter(({ status }) => status !== 200);
  expect(others.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
    others.map(() => [409, '1']),
  );
  expect(await made()).toEqual(once);
  expect(isReplayed(await apply('both'))).toBe(true);
});

test('a repeat that stumbles over what the first one did meanwhile gets its answer', async () => {
  gates = [Promise.withResolvers(), Promise.withResolvers()];
  const first = apply('stumbles');
  await until('the first asks the registry', async () => asked === 1);
  const second = apply('stumbles');
  await until('both ask the registry', async () => asked === 2);
  gates[0]?.resolve(200);
  expect((await first).status).toBe(200);
  // The image is gone by now.
  gates[1]?.resolve(404);
  expect([(await second).status, (await second).text]).toEqual([200, (await first).text]);
  expect(await made()).toEqual(once);
});

test('one that is in its transaction is still running for a repeat, wherever that arrives', async () => {
  const twin = await api.twin();
  const first = await api.effect(async (one) => {
    await lockAdmission(one, { organizationId: ours.organizationId, projectId });
    const running = apply('running');
    await until('it waits for the lock', async () => (await lockWaiters(api.database)) === 1);
    expectProblem(await apply('running', { by: twin }), 409, 'still running');
    return { running };
  });
  expect((await first.running).status).toBe(200);
  await twin.close();
  expect(await made()).toEqual(once);
});

test('killed in its transaction, nothing is there, the key is free, and a repeat applies once', async () => {
  const killed = await api.effect(async (one) => {
    await lockAdmission(one, { organizationId: ours.organizationId, projectId });
    const running = apply('killed');
    await until('it waits for the lock', async () => (await lockWaiters(api.database)) === 1);
    await api.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return { answer: await running };
  });
  expect(killed.answer.status).toBeGreaterThanOrEqual(500);
  expect(await made()).toEqual({ sets: 0, releases: 0, deployments: 0, records: 0 });
  const first = await apply('killed');
  expect([first.status, isReplayed(first)]).toEqual([200, false]);
  expect((await apply('killed')).text).toBe(first.text);
  expect(await made()).toEqual(once);
});

test('a client that leaves while the registry is asked may repeat, and the changes are applied once', async () => {
  gates = [Promise.withResolvers()];
  const left = new AbortController();
  const { token } = ours.tokens.deployer as { token: string };
  const leaving = fetch(`${api.url}/api/v1/change-sets/${draftId}/apply`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'left' },
    body: '{"message":"First"}',
    signal: left.signal,
  });
  await until('the registry is asked', async () => asked === 1);
  left.abort();
  await expect(leaving).rejects.toThrow('abort');
  gates[0]?.resolve(200);
  const first = await until('it can be repeated', async () => {
    const answered = await apply('left');
    return answered.status === 200 && answered;
  });
  expect((await apply('left')).text).toBe(first.text);
  expect(await made()).toEqual(once);
});
