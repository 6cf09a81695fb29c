import { expect } from 'vitest';
import { findDeletedThing, listDeletedThings } from '../../db/deletions/things/deleted-things.ts';
import { requestPurgeOfThing } from '../../db/deletions/things/purge-thing.ts';
import { restoreThing } from '../../db/deletions/things/restore-thing.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { findEnvironment } from '../../db/environments/environments.ts';
import { deleteEnvironment } from '../../db/environments/removal.ts';
import { findProject } from '../../db/projects/projects.ts';
import { deleteProject } from '../../db/projects/removal.ts';
import { deleteService } from '../../db/services/removal/delete-service.ts';
import { findService } from '../../db/services/services.ts';
import { Problem } from '../../domain/problems.ts';
import { machine } from '../seeds/seed.ts';
import { seedService } from '../seeds/seed-service.ts';
import { asDeletionActor } from './as-deletion-actor.ts';
import { numbersOf } from './numbers.ts';
import type { WalkGround } from './walk-ground.ts';

type Kind = 'project' | 'environment' | 'service';

/** The knowledge that people have of a thing: whether it was deleted by itself, and whether it is gone for good. */
interface Known {
  kind: Kind;
  id: string;
  deleted: boolean;
  purged: boolean;
}

/** Deletes, restores and purges a project and its parts at random; a naive model says what is there and what is listed. */
export async function walkDeletions(ground: WalkGround, seed: number, steps: number): Promise<void> {
  const next = numbersOf(seed);
  const { database, organizationId } = ground;
  const { kysely } = database;
  const { project, environments } = await ground.project();
  const projectId = project.id;
  const services = [];
  for (const _ of [1, 2]) services.push(await seedService(database, { organizationId, projectId }, { image: '' }));
  const root: Known = { kind: 'project', id: projectId, deleted: false, purged: false };
  const known: Known[] = [
    root,
    ...environments.map(({ id }) => ({ kind: 'environment' as const, id, deleted: false, purged: false })),
    ...services.map(({ serviceId: id }) => ({ kind: 'service' as const, id, deleted: false, purged: false })),
  ];
  const run = <T>(work: (one: Effect) => Promise<T>) => effect(database, machine, work);
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
    expect(await asDeletionActor(ground, found.deletionId)).toMatchObject({ state: 'purged' });
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
}
