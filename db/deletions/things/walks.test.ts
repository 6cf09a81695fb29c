import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '../../../domain/problems.ts';
import { type RunningApi, runningApi, type Seeded, seed } from '../../../test/installation/running-api.ts';
import { cellsOf } from '../../../test/run/matrix.ts';
import { machine } from '../../../test/seeds/seed.ts';
import { seedService } from '../../../test/seeds/seed-service.ts';
import { asDeletionActor } from '../../../test/walks/as-deletion-actor.ts';
import { type Effect, effect } from '../../engine/effect.ts';
import { findEnvironment } from '../../environments/environments.ts';
import { deleteEnvironment } from '../../environments/removal/delete-environment.ts';
import { findProject } from '../../projects/projects.ts';
import { deleteProject } from '../../projects/removal/delete-project.ts';
import { deleteService } from '../../services/removal/delete-service.ts';
import { findService } from '../../services/services.ts';
import { findDeletedThing, listDeletedThings } from './deleted-things.ts';
import { requestPurgeOfThing } from './request-purge.ts';
import { restoreThing } from './restore-thing.ts';

let api: RunningApi;
let ours: Seeded;
beforeAll(async () => {
  api = await runningApi();
  ours = await seed(api.database);
});
afterAll(() => api.close());

/** Numbers that are the same in each run of a seed. */
function numbers(seedOf: number) {
  let state = seedOf;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

type Kind = 'project' | 'environment' | 'service';

/** The knowledge that people have of a thing: whether it was deleted by itself, and whether it is gone for good. */
interface Known {
  kind: Kind;
  id: string;
  deleted: boolean;
  purged: boolean;
}

const all = Array.from({ length: 40 }, (_, at) => at + 1);
const steps = 25;

test.each(cellsOf(all, (one) => one <= 3))(
  'deleted, restored and purged in any order, all is where a naive model has it: walk %i',
  async (walk) => {
    const next = numbers(walk);
    const { organizationId } = ours;
    const { kysely } = api.database;
    const body = { name: `Walk ${crypto.randomUUID()}` };
    const made = await api.call('POST', '/api/v1/projects', { as: ours.sessions.admin, body });
    const { project, environments } = made.body as { project: { id: string }; environments: { id: string }[] };
    const projectId = project.id;
    const services = [];
    for (const _ of [1, 2])
      services.push(await seedService(api.database, { organizationId, projectId }, { image: '' }));
    const root: Known = { kind: 'project', id: projectId, deleted: false, purged: false };
    const known: Known[] = [
      root,
      ...environments.map(({ id }) => ({ kind: 'environment' as const, id, deleted: false, purged: false })),
      ...services.map(({ serviceId: id }) => ({ kind: 'service' as const, id, deleted: false, purged: false })),
    ];
    const run = <T>(work: (one: Effect) => Promise<T>) => effect(api.database, machine, work);
    const refused = (work: Promise<unknown>) =>
      work.then(
        () => false,
        (error: unknown) => {
          if (error instanceof Problem) return true;
          throw error;
        },
      );
    const isThere = (one: Known) => !one.deleted && !one.purged && (one === root || (!root.deleted && !root.purged));
    const find = async ({ kind, id }: Known) =>
      kind === 'project'
        ? await findProject(kysely, organizationId, id)
        : kind === 'environment'
          ? await findEnvironment(kysely, organizationId, id)
          : await findService(kysely, organizationId, id);

    async function remove(one: Known): Promise<void> {
      const found = await find(one);
      expect(found !== undefined).toBe(isThere(one));
      if (found === undefined) return;
      await run(async (removing) => {
        if (one.kind === 'project') await deleteProject(removing, found as never, { wait: false });
        else if (one.kind === 'environment') await deleteEnvironment(removing, found as never, { wait: false });
        else await deleteService(removing, found as never, { wait: false, check: () => undefined });
      });
      one.deleted = true;
    }

    async function restore(one: Known): Promise<void> {
      const found = await findDeletedThing(kysely, organizationId, one.kind, one.id);
      expect(found !== undefined).toBe(one.deleted && !one.purged);
      if (found === undefined) return;
      const fits = one === root || !root.deleted;
      expect(found.restorable).toBe(fits);
      expect(await refused(run((restoring) => restoreThing(restoring, found)))).toBe(!fits);
      if (fits) one.deleted = false;
    }

    async function purge(one: Known): Promise<void> {
      const found = await findDeletedThing(kysely, organizationId, one.kind, one.id);
      if (found === undefined) return;
      await run((asking) => requestPurgeOfThing(asking, found));
      expect(await asDeletionActor(api, found.deletionId)).toMatchObject({ state: 'purged' });
      for (const gone of one === root ? known : [one]) gone.purged = true;
    }

    for (let step = 0; step < steps; step += 1) {
      const one = known[next(known.length)] ?? root;
      const kind = next(10);
      // The project is purged late, or the walk would be over.
      if (kind < 5) await remove(one);
      else if (kind < 9) await restore(one);
      else if (one !== root || step > steps - 5) await purge(one);
      const there = [];
      for (const each of known) if ((await find(each)) !== undefined) there.push(each.id);
      expect(there, `step ${step}`).toEqual(known.filter(isThere).map(({ id }) => id));
      const listed = await listDeletedThings(kysely, organizationId, { limit: 100, within: [projectId] });
      const expected = known.filter((each) => each.deleted && !each.purged).map(({ id }) => id);
      expect(listed.map(({ id }) => id).toSorted(), `step ${step}`).toEqual(expected.toSorted());
      expect(new Set(listed.filter((item) => item.restorable).map(({ id }) => id))).toEqual(
        new Set(root.deleted ? expected.filter((id) => id === projectId) : expected),
      );
    }
    const open = kysely
      .selectFrom('deletion')
      .select('subject_id')
      .where('project_id', '=', projectId)
      .where('finished_at', 'is', null);
    const ids = (await open.execute()).map((row) => row.subject_id ?? '');
    expect(ids.toSorted()).toEqual(
      known
        .filter((each) => each.deleted && !each.purged)
        .map(({ id }) => id)
        .toSorted(),
    );
  },
);
