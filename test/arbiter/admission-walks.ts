import { sql } from 'kysely';
import { expect } from 'vitest';
import { loadSnapshot } from '../../db/deployments/admission/snapshot.ts';
import { admit } from '../../db/deployments/admission.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import type { Database } from '../../db/postgres/database.ts';
import { acrossTenants } from '../../db/postgres/tenant.ts';
import type { Decision } from '../../domain/deployments/arbiter-types.ts';
import { machine, seedOrganization } from '../seeds/seed.ts';
import { RandomWalk, type Taken } from './random-walk.ts';
import { type SeededProject, seedApproval, seedProjects } from './seeded-projects.ts';
import { places } from './world.ts';

const [steps, connections] = [14, 4];

/** Random walks of the arbiter alone and of the database end in the same snapshots. */
export async function walkAdmissions(database: Database, seed: number, count: number): Promise<void> {
  const organizationId = await seedOrganization(database);
  const seeded = await seedProjects(database, organizationId, count, places);
  const ids = seeded.map(({ projectId }) => projectId);
  await sql`update project set deploy_concurrency = 1 where id = any(${ids}::uuid[])`.execute(database.kysely);
  const walks = seeded.map((at, number) => new RandomWalk(at, seed + number));
  const batch = Math.min(25, Math.ceil(count / connections));
  const batches = Array.from({ length: Math.ceil(count / batch) }, (_, at) =>
    walks.slice(at * batch, (at + 1) * batch),
  );
  const walkAll = async (): Promise<void> => {
    for (let next = batches.pop(); next !== undefined; next = batches.pop()) {
      const walking = next;
      for (let at = 0; at < steps; at += 1) {
        await effect(database, machine, (one) => walkOn(one, walking));
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, walkAll));
  await sameAs(database, walks);
}

/** A move of each walk, as one effect. */
async function walkOn(effect: Effect, walks: readonly RandomWalk[]): Promise<void> {
  for (const walk of walks) await repeat(effect, walk.project, walk.next());
}

async function repeat(effect: Effect, at: SeededProject, { move, request, approvals, decision }: Taken): Promise<void> {
  const { kysely } = effect;
  for (const id of approvals) await seedApproval(kysely, at, id);
  if (move.does === 'advance') {
    const next = sql`case state when 'preparing' then 'switching' else 'draining' end`;
    await sql`update deployment set state = ${next}, revision = revision + 1 where id = ${move.id}`.execute(kysely);
    return;
  }
  if (move.does === 'slots') {
    await sql`update project set deploy_concurrency = ${move.concurrency} where id = ${at.projectId}`.execute(kysely);
  }
  const answer = await admit(effect, at, request ?? { event: 'review' });
  expect(comparable(answer)).toEqual(comparable(decision as Decision));
}

/** Without orders and places, which the database names otherwise. */
function comparable(decision: Decision): unknown {
  if ('refused' in decision) return decision.refused;
  const { insert, update, live, ...more } = decision;
  return {
    ...more,
    insert: insert.map(({ id, blocker }) => [id, blocker]),
    update: update.map(({ order, ...change }) => ({ ...change, moves: order !== undefined })),
    live: live?.releaseId,
  };
}

async function sameAs({ kysely }: Database, walks: readonly RandomWalk[]): Promise<void> {
  const { rows } = await sql<{ id: string; state: string }>`select id, state from deployment`.execute(kysely);
  const states = new Map(rows.map(({ id, state }) => [id, state]));
  const approvals = await acrossTenants(kysely).selectFrom('approval').select(['id', 'decision']).execute();
  const decisions = new Map(approvals.map(({ id, decision }) => [id, decision]));
  const services = await acrossTenants(kysely)
    .selectFrom('environment_service')
    .select(['service_id', 'live_release_id'])
    .execute();
  const live = new Map(services.map((row) => [row.service_id, row.live_release_id]));
  for (const { project: at, world, states: expected, approvals: decided } of walks) {
    const { concurrency, deployments } = await loadSnapshot(kysely, at, { event: 'review' });
    expect(concurrency).toBe(world.snapshot.concurrency);
    const found = deployments.map(({ order: _, place: __, revision: ___, environmentId: ____, serviceId, ...one }) => ({
      ...one,
      place: places.find((place) => at.services[place]?.id === serviceId),
    }));
    expect(found).toEqual(world.snapshot.deployments.map(({ order: _, ...one }) => one));
    for (const [id, state] of expected) expect(states.get(id)).toBe(state);
    for (const [id, decision] of decided) expect(decisions.get(id)).toBe(decision);
    for (const place of places)
      expect(live.get(at.services[place]?.id ?? '') ?? undefined).toBe(world.snapshot.live.get(place));
  }
}
