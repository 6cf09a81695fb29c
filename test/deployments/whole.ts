import { expect } from 'vitest';
import { actorId } from '../../domain/actors/actors.ts';
import type { Asked, Place } from './deliveries.ts';
import type { World } from './moments/moment.ts';

/** The live release of each service is that one, in rows, for people and on the machine. */
export async function isWhole(
  { installation, deliveries, machine }: Pick<World, 'installation' | 'deliveries' | 'machine'>,
  live: ReadonlyMap<Place, string>,
): Promise<void> {
  const { kysely } = await installation.database();
  const open = kysely.selectFrom('deployment').select('id').where('finished_at', 'is', null);
  expect(await open.execute()).toEqual([]);
  const lasting: string[] = [];
  const kept: string[] = [];
  for (const [place, releaseId] of live) {
    const row = await kysely
      .selectFrom('environment_service as place')
      .innerJoin('deployment', 'deployment.id', 'place.live_deployment_id')
      .select(['live_release_id', 'deployment.release_id', 'deployment.state', 'deployment.runs_as'])
      .where('place.environment_id', '=', place.environmentId)
      .where('place.service_id', '=', place.serviceId)
      .executeTakeFirst();
    expect(row, place.name).toMatchObject({ live_release_id: releaseId, release_id: releaseId, state: 'live' });
    const runsAs = row?.runs_as ?? '';
    const instances = await installation.until(`only the live release of ${place.name} runs`, async (see) => {
      const all = see(await deliveries.instances(place));
      const lives = all.filter(({ state }) => state !== 'ended');
      const right = lives.length === 1 && lives[0]?.state === 'ready' && lives[0].release.startsWith(runsAs);
      // Two ended ones are kept for their logs, and release commands for theirs; the others go a moment later.
      const lasted = all.filter(({ process }) => process !== 'release-command');
      return right && lasted.length <= 3 && all;
    });
    lasting.push(...instances.filter(({ state }) => state === 'ready').map(({ id }) => id));
    kept.push(...instances.map(({ id }) => id));
    const shown = await installation.until(`${place.name} is healthy`, async (see) => {
      const service = see(await deliveries.service(place));
      return service.health === 'healthy' && service;
    });
    expect(shown).toMatchObject({ activeReleaseId: releaseId, replicasDesired: 1, replicasReady: 1 });
    expect(shown.pendingDeployment).toBeUndefined();
  }
  await installation.until('nothing else runs on the machine', async () => same(machine.working(), lasting));
  await installation.until('no other instance has a directory', async () => same(machine.instances(), kept));
  expect(machine.trees().filter((id) => !kept.includes(id))).toEqual([]);
  expect(machine.rollouts()).toHaveLength(live.size);
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return some.toSorted().join() === others.toSorted().join();
}

/** Every actor of what was asked for ended once, and nothing is left to be told. */
export async function nothingIsLeft(
  { installation }: Pick<World, 'installation'>,
  asked: readonly Asked[],
): Promise<void> {
  const { database, temporal } = await installation.inside();
  const actors = asked.flatMap(({ id, changeSetId }) => [
    actorId('deployment', id),
    ...(changeSetId === undefined ? [] : [actorId('change-set', changeSetId)]),
  ]);
  const ends = await installation.until('the ends of all actors in the search', async () => {
    const found = new Map<string, string[]>();
    // An actor that is asked to look at its row continues in a new run, which is the same actor.
    for await (const { workflowId, status } of temporal.client.workflow.list({
      query: "ExecutionStatus != 'ContinuedAsNew'",
    })) {
      found.set(workflowId, [...(found.get(workflowId) ?? []), status.name]);
    }
    return actors.every((actor) => found.get(actor)?.includes('COMPLETED')) && found;
  });
  for (const actor of actors) expect(ends.get(actor), actor).toEqual(['COMPLETED']);
  const { kysely } = database;
  expect(await kysely.selectFrom('outbox').select(['actor_id', 'message', 'last_error']).execute()).toEqual([]);
  expect((await installation.readiness())?.ready).toBe(true);
}
