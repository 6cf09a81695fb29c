import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Decision } from '../../domain/deployments/arbiter-types.ts';
import { type SeededProject, seedApproval, seedProjects } from '../../test/arbiter/seeded-projects.ts';
import { places } from '../../test/arbiter/world.ts';
import { freshDatabase } from '../../test/ground/fresh-database.ts';
import { lockWaiters } from '../../test/ground/lock-waiters.ts';
import { until } from '../../test/ground/until.ts';
import { machine, seedOrganization } from '../../test/seeds/seed.ts';
import { type Effect, effect } from '../engine/effect.ts';
import { acrossTenants } from '../postgres/tenant.ts';
import { type AdmissionRequest, admit, type NewDeployment } from './admission.ts';

let project: SeededProject;
const fresh = await freshDatabase();
const organizationId = await seedOrganization(fresh.database);
afterAll(() => fresh.drop());
beforeEach(async () => {
  [project] = (await seedProjects(fresh.database, organizationId, 1, places)) as [SeededProject];
});

const run = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => effect(fresh.database, machine, work);
const take = (request: AdmissionRequest): Promise<Decision> => run((effect) => admit(effect, project, request));

function start(place: string, more: Partial<NewDeployment> = {}): NewDeployment {
  const { environmentId, services } = project;
  const { id: serviceId, releases } = services[place] as SeededProject['services'][string];
  return { id: uuid(), kind: 'deploy', queue: true, environmentId, serviceId, releaseId: releases[0], ...more };
}
const create = (...deployments: readonly NewDeployment[]): AdmissionRequest => ({ event: 'create', deployments });

async function slots(count: number): Promise<void> {
  await acrossTenants(fresh.database.kysely)
    .updateTable('project')
    .set({ deploy_concurrency: count })
    .where('id', '=', project.projectId)
    .execute();
}

async function rowOf(id: string) {
  return await fresh.database.kysely
    .selectFrom('deployment')
    .select(['state', 'waits_for', 'message', 'revision', 'finished_at', 'cancel_requested_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Kinds of events, what is told to its actor. */
async function accountOf(id: string) {
  const events = await fresh.database.kysely
    .selectFrom('deployment_event')
    .select(['kind', 'blocker', 'decision'])
    .where('deployment_id', '=', id)
    .orderBy('at')
    .orderBy('id')
    .execute();
  return {
    events: events.map(({ kind, blocker, decision }) => [kind, blocker, decision].filter(Boolean).join(' ')),
    told: await toldTo(`deployment/${id}`),
  };
}

async function toldTo(actor: string): Promise<string[]> {
  const { rows } = await sql<{ told: string }>`
    select coalesce(message, kind) as told from outbox where actor_id = ${actor} order by id
  `.execute(fresh.database.kysely);
  return rows.map(({ told }) => told);
}

async function decisionOf(approvalId: string) {
  return await acrossTenants(fresh.database.kysely)
    .selectFrom('approval')
    .select(['decision', 'decided_by_name'])
    .where('id', '=', approvalId)
    .executeTakeFirstOrThrow();
}

/** The second begins when the first has written, and the first commits when the second waits for a lock. */
async function overlapping<T>(first: (effect: Effect) => Promise<unknown>, second: () => Promise<T>): Promise<T> {
  const written = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const one = run(async (effect) => {
    await first(effect);
    written.resolve();
    await commit.promise;
  });
  await written.promise;
  const other = second();
  await until('the second waits for a lock', async () => (await lockWaiters(fresh.database)) > 0);
  commit.resolve();
  await one;
  return await other;
}

test('two starts at once on one project: the second decides by what the first has written', async () => {
  await slots(1);
  const [first, second] = [start('p'), start('q', { queue: false })];
  const answer = await overlapping(
    (effect) => admit(effect, project, create(first)),
    () => take(create(second)),
  );
  expect(answer).toEqual({ refused: 'at-limit', concurrency: 1 });
});

test('a rollback that meets a claim: it asks the claimed one to cancel, and waits for its place', async () => {
  await slots(1);
  const [first, rollback] = [start('p'), start('p', { kind: 'rollback' })];
  await take(create(first));
  const answer = await overlapping(
    (effect) => admit(effect, project, { event: 'claim', id: first.id }),
    () => take(create(rollback)),
  );
  expect(answer).toMatchObject({ update: [{ id: first.id, cancelRequested: true }], stop: [first.id] });
  expect(await take({ event: 'claim', id: rollback.id })).toMatchObject({ claimed: false });
});

test('a cancel waits for the stage that the actor is writing, and comes too late after the switch', async () => {
  const { id, ...more } = start('p');
  await take(create({ id, ...more }));
  await take({ event: 'claim', id });
  const answer = await overlapping(
    ({ kysely }) =>
      sql`update deployment set state = 'draining', revision = revision + 1 where id = ${id}`.execute(kysely),
    () => take({ event: 'cancel', id, because: 'person' }),
  );
  expect(answer).toEqual({ refused: 'not-cancellable', state: 'draining' });
});

test('one that waits says for what, and its events and messages tell of each change', async () => {
  await slots(1);
  const [first, second] = [start('p'), start('q')];
  await take(create(first));
  await take({ event: 'claim', id: first.id });
  await take(create(second));
  expect(await rowOf(second.id)).toMatchObject({
    ...{ state: 'pending', waits_for: 'slot' },
    message: expect.stringContaining('the deployment slot of the project'),
  });
  await take({
    event: 'finish',
    id: first.id,
    state: 'failed',
    waitsFor: 'health',
    message: 'web ended with exit code 1.',
  });
  expect(await rowOf(first.id)).toMatchObject({
    ...{ state: 'failed', waits_for: 'health', message: 'web ended with exit code 1.', revision: 2 },
    finished_at: expect.any(Date),
  });
  expect(await rowOf(second.id)).toMatchObject({ state: 'pending', waits_for: null, message: null });
  await take({ event: 'cancel', id: second.id, because: 'person' });
  expect(await accountOf(first.id)).toEqual({ events: ['requested', 'finished health'], told: ['start'] });
  expect(await accountOf(second.id)).toEqual({
    events: ['requested', 'blocked slot', 'unblocked slot', 'finished'],
    told: ['start', 'turn', 'cancel'],
  });
});

test('a claimed one is asked to cancel once, however often it is told', async () => {
  const one = start('p');
  await take(create(one));
  await take({ event: 'claim', id: one.id });
  await take(create(start('p', { kind: 'rollback' })));
  const { cancel_requested_at: asked, revision } = await rowOf(one.id);
  expect(asked).toBeInstanceOf(Date);
  await take({ event: 'cancel', id: one.id, because: 'person' });
  expect(await rowOf(one.id)).toMatchObject({ cancel_requested_at: asked, revision, state: 'preparing' });
  expect(await accountOf(one.id)).toEqual({
    events: ['requested', 'cancel-requested'],
    told: ['start', 'cancel', 'cancel'],
  });
});

test('a decision is written with its deployments, once, and says who decided', async () => {
  const [approvalId, changeSetId] = [uuid(), uuid()];
  const members = [start('p', { approvalId, changeSetId }), start('q', { approvalId, changeSetId })];
  await seedApproval(fresh.database.kysely, project, approvalId);
  await take(create(...members));
  const by = { id: 'grace', name: 'Grace' };
  await take({ event: 'decide', approvalId, decision: 'approved', by });
  await take({ event: 'decide', approvalId, decision: 'expired' });
  expect(await decisionOf(approvalId)).toMatchObject({ decision: 'approved', decided_by_name: 'Grace' });
  const [first] = members as [NewDeployment];
  expect(await rowOf(first.id)).toMatchObject({ state: 'pending', waits_for: null });
  expect(await accountOf(first.id)).toEqual({
    events: ['requested', 'approval-requested approval', 'decided approved'],
    told: ['start', 'decided'],
  });
  await take({ event: 'cancel', id: first.id, because: 'person' });
  expect(await toldTo(`change-set/${changeSetId}`)).toEqual(['deploymentEnded']);
});

test('an approval closes with its superseded deployment', async () => {
  const approvalId = uuid();
  await seedApproval(fresh.database.kysely, project, approvalId);
  await take(create(start('p', { approvalId })));
  await take(create(start('p')));
  expect(await decisionOf(approvalId)).toMatchObject({ decision: 'superseded', decided_by_name: null });
});

test('the release that is live is written with the end of its deployment, and the one before is answered', async () => {
  const [first, second] = [start('p'), start('p', { releaseId: project.services.p?.releases[1] ?? '' })];
  for (const { id, releaseId, ...more } of [first, second]) {
    await take(create({ id, releaseId, ...more }));
    await take({ event: 'claim', id });
    const before = id === second.id ? first.releaseId : undefined;
    const finished = await take({ event: 'finish', id, state: 'live' });
    expect(finished).toMatchObject({ live: { releaseId, deploymentId: id, before } });
  }
  const live = await acrossTenants(fresh.database.kysely)
    .selectFrom('environment_service')
    .select(['live_release_id', 'live_deployment_id', 'live_at'])
    .where('service_id', '=', second.serviceId)
    .executeTakeFirst();
  expect(live).toEqual({
    ...{ live_release_id: second.releaseId, live_deployment_id: second.id },
    live_at: expect.any(Date),
  });
});

test('a suspended service is not started', async () => {
  const one = start('p');
  await acrossTenants(fresh.database.kysely)
    .updateTable('environment_service')
    .set({ suspended: true })
    .where('service_id', '=', one.serviceId)
    .execute();
  expect(await take(create(one))).toMatchObject({ refused: 'service-suspended' });
});

test('two rollouts at one place are an alarm, whatever the arbiter says', async () => {
  const [hidden] = (await seedProjects(fresh.database, organizationId, 1, places)) as [SeededProject];
  const [rolls, next] = [start('p'), start('p')];
  await take(create(rolls));
  await take({ event: 'claim', id: rolls.id });
  await sql`update deployment set project_id = ${hidden.projectId} where id = ${rolls.id}`.execute(
    fresh.database.kysely,
  );
  await take(create(next));
  const alarms: string[] = [];
  const stop = fresh.database.onAlarm(({ actorId }) => void alarms.push(actorId));
  await expect(take({ event: 'claim', id: next.id })).rejects.toMatchObject({
    constraint: 'deployment_rollout_unique',
  });
  stop();
  expect(alarms).toEqual([`deployment/${next.id}`]);
});
