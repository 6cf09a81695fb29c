import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { type AdmissionRequest, admit } from '../../db/deployments/admission.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { claimedDeploymentStates } from '../../domain/deployments/states.ts';
import { noSource } from '../../domain/services/settings.ts';
import { ok } from '../../test/api/client.ts';
import { applyGround, imageDigests } from '../../test/seeds/apply-ground.ts';
import { type SeededPlace, seedRelease } from '../../test/seeds/seed-place.ts';

// Each is told of another product by those who left it; docs/faults-of-peers.md has all of them.

const at = applyGround();
const { apply, call, create, goLive, releaseOf, stage, variable, variablesOf } = at;

const first = <T>(items: readonly T[]): T => {
  if (items[0] === undefined) throw new Error('There is none.');
  return items[0];
};

/** Names the tag again, so that it is resolved to what it is now. */
const sameTag = () => ({
  ...{ kind: 'service.set', serviceId: at.service.serviceId, key: 'source' },
  value: { ...noSource, imageRepository: `${at.host}/app:1` },
});

test('a rollback has the image that its release had, wherever the tag points since', async () => {
  await stage(at.staging, create(), variable('A', '1'));
  const one = first((await apply(at.staging)).deployments);
  await goLive(one.id);
  at.tagged = imageDigests[1];
  await stage(at.staging, sameTag(), variable('A', '2'));
  const two = first((await apply(at.staging)).deployments);
  await goLive(two.id);
  expect((await releaseOf(two.releaseId)).imageRef).toContain(imageDigests[1]);
  at.tagged = `sha256:${'3'.repeat(64)}`;
  const { body } = await call('POST', `/releases/${one.releaseId}/rollback`, {});
  const back = body.deployment as { id: string; releaseId: string };
  expect(back.releaseId).toBe(one.releaseId);
  expect((await releaseOf(back.releaseId)).imageRef).toContain(imageDigests[0]);
  await goLive(back.id);
  // Nor does what is applied next take the tag up by itself.
  await stage(at.staging, variable('A', '3'));
  const next = first((await apply(at.staging)).deployments);
  expect((await releaseOf(next.releaseId)).imageRef).toContain(imageDigests[0]);
});

test('an approval applies what was shown, and nothing that was staged or pushed since', async () => {
  await stage(at.production, create(), variable('A', 'shown'));
  const asked = await apply(at.production);
  const approvalId = asked.approval?.id ?? '';
  const shown = await call('GET', `/approvals/${approvalId}`);
  at.tagged = imageDigests[1];
  await stage(at.production, create(), sameTag(), variable('A', 'newer'), variable('B', 'newer'));
  ok(await at.decide(approvalId));
  const { releaseId, id } = first(asked.deployments);
  await goLive(id);
  expect(await releaseOf(releaseId)).toMatchObject({
    imageRef: expect.stringContaining(imageDigests[0]),
    variableKeys: ['A'],
  });
  expect(shown.text).toContain(imageDigests[0]);
  const { content } = await at.ours.rows.one('release', { id: releaseId });
  expect(content).toMatchObject({ variables: { A: 'shown' } });
  // What is newer is staged still.
  expect((await variablesOf(at.production)).map(({ key, value, staged }) => [key, value, staged])).toEqual([
    ['A', 'newer', 'set'],
    ['B', 'newer', 'set'],
  ]);
});

test('no secret is in what is told or written of a deployment, whether it is held, fails or goes live', async () => {
  const secret = `secret-${uuid()}`;
  const { serviceId } = at.service;
  const seen: string[] = [];
  const look = async (...paths: string[]) => {
    for (const path of paths) seen.push((await call('GET', path, undefined, at.ours.sessions.owner)).text);
  };
  for (const environmentId of [at.staging, at.production]) {
    for (const state of ['live', 'failed'] as const) {
      await stage(environmentId, ...(state === 'live' ? [create()] : []), variable('N', state));
      await stage(environmentId, variable('S', `${secret} ${state}`, { secret: true }));
      const { approval, changeSet, deployments } = await apply(environmentId);
      const { id, releaseId } = first(deployments);
      if (approval !== undefined) {
        await look(`/approvals/${approval.id}`);
        ok(await call('POST', `/approvals/${approval.id}/decide`, { decision: 'approved' }, at.ours.sessions.owner));
      }
      await at.finish(id, state);
      await look(`/deployments/${id}`, `/deployments/${id}/events`, `/deployments/${id}/why`, `/releases/${releaseId}`);
      await look(`/change-sets/${changeSet.id}`, `/environments/${environmentId}/overview`);
    }
  }
  await look(`/services/${serviceId}/deployments`, '/audit-log', '/approvals', '/notifications');
  seen.push(...at.api.lines.map((line) => JSON.stringify(line)));
  expect(seen.filter((text) => text.includes(secret))).toEqual([]);
  expect(seen.filter((text) => text.includes(serviceId)).length).toBeGreaterThan(8);
  const tables = await at.api.sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public'
  `;
  for (const { name } of tables) {
    const rows = await at.api.sql<{ found: number }>`
      select count(*)::int as found from ${sql.raw(name)} one where one::text like ${`%${secret}%`}
    `;
    expect([name, rows[0]?.found]).toEqual([name, 0]);
  }
});

const told = ({ organizationId, projectId }: SeededPlace, request: AdmissionRequest) =>
  at.api.effect((one) => admit(one, { organizationId, projectId }, request));
const openOf = async ({ organizationId, projectId }: SeededPlace) =>
  await tenant(at.api.database.kysely, organizationId)
    .selectFrom('deployment')
    .select(['id', 'state', 'waits_for as waitsFor'])
    .where('project_id', '=', projectId)
    .where('finished_at', 'is', null)
    .orderBy('admission_order')
    .execute();
const isClaimed = ({ state }: { state: string }) => (claimedDeploymentStates as readonly string[]).includes(state);

/** A deployment that is asked for, as a person or a pipeline does. */
async function deploy({ environmentId, serviceId }: SeededPlace, releaseId: string) {
  const id = uuid();
  const one = { id, environmentId, serviceId, releaseId, kind: 'deploy' as const, queue: true };
  return { id, request: { event: 'create', deployments: [one] } satisfies AdmissionRequest };
}

test('two deployments of one service never roll at once, however many are asked for and claim at the same time', async () => {
  const place = await at.ours.place();
  const { id: releaseId } = await seedRelease(at.api.database, place, 1);
  for (let round = 0; round < 3; round += 1) {
    const asked = await Promise.all(Array.from({ length: 8 }, () => deploy(place, releaseId)));
    await Promise.all(asked.map(({ request }) => told(place, request)));
    const claims = await Promise.all(asked.map(({ id }) => told(place, { event: 'claim', id })));
    expect(claims.filter((one) => 'claimed' in one && one.claimed)).toHaveLength(1);
    const open = await openOf(place);
    expect(open.filter(isClaimed)).toHaveLength(1);
    const behind = await Promise.all(Array.from({ length: 2 }, () => deploy(place, releaseId)));
    for (const { id, request } of behind) {
      await told(place, request);
      expect(await told(place, { event: 'claim', id })).toMatchObject({ claimed: false });
    }
    // The last word counts: the one behind was superseded by the next.
    expect((await openOf(place)).map(({ waitsFor }) => waitsFor)).toEqual([null, 'earlier-deployment']);
    for (const one of await openOf(place)) {
      await told(place, { event: 'claim', id: one.id });
      await told(place, { event: 'finish', id: one.id, state: 'live' });
    }
  }
});

test('a project with 50 deployments keeps another one waiting for nothing, and has exactly its slots', async () => {
  const busy = await at.ours.place({ concurrency: 2 });
  const small = await at.ours.place({ concurrency: 2 });
  // On one cluster, whose agent rolls for both.
  await at.ours.rows.set('environment', { id: small.environmentId }, { cluster_id: busy.clusterId });
  const many = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const place = await at.ours.place({ beside: busy });
      return await deploy(place, (await seedRelease(at.api.database, place, 1)).id);
    }),
  );
  await Promise.all(many.map(({ request }) => told(busy, request)));
  const one = await deploy(small, (await seedRelease(at.api.database, small, 1)).id);
  const claims = await Promise.all([
    ...many.map(({ id }) => told(busy, { event: 'claim', id })),
    told(small, one.request).then(() => told(small, { event: 'claim', id: one.id })),
  ]);
  expect(claims.at(-1)).toMatchObject({ claimed: true });
  // As many as there are slots, at every step until the queue is empty, and each gets its turn.
  const begun = new Set<string>();
  for (;;) {
    const open = await openOf(busy);
    const rolling = open.filter(isClaimed);
    expect(rolling).toHaveLength(Math.min(2, open.length));
    for (const { id } of rolling) begun.add(id);
    if (rolling[0] === undefined) break;
    await told(busy, { event: 'finish', id: rolling[0].id, state: 'live' });
    await Promise.all((await openOf(busy)).slice(0, 2).map(({ id }) => told(busy, { event: 'claim', id })));
  }
  expect(begun.size).toBe(50);
});
