import { requiredTsToMs } from '@temporalio/common/lib/time.js';
import { findDeletedThing, tableOfThing } from '../../db/deletions/things/deleted-things.ts';
import { deleteThing } from '../../db/deletions/things/hide.ts';
import { requestPurgeOfThing } from '../../db/deletions/things/purge-thing.ts';
import { restoreThing } from '../../db/deletions/things/restore-thing.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { findEnvironment } from '../../db/environments/environments.ts';
import { deleteEnvironment } from '../../db/environments/removal.ts';
import type { Database } from '../../db/postgres/database.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { findProject } from '../../db/projects/projects.ts';
import { deleteProject } from '../../db/projects/removal.ts';
import { deleteService } from '../../db/services/removal/delete-service.ts';
import { findService } from '../../db/services/services.ts';
import type { ShownKind } from '../../domain/deletions/kinds.ts';
import { seedOrganization } from '../seeds/seed.ts';
import { seedPlace } from '../seeds/seed-place.ts';
import { deletionRow, tester } from './actors.ts';
import type { SkippingGround } from './grounds/skipping-ground.ts';

const hour = 3_600_000;

/** Something that can be deleted, and comes back or is purged after its retention. */
export interface Thing {
  organizationId: string;
  kind: ShownKind;
  delete(): Promise<void>;
  restore(): Promise<void>;
  purge(): Promise<void>;
  listed(): ReturnType<typeof findDeletedThing>;
  is(): Promise<'there' | 'hidden' | 'gone'>;
}

/** A thing of the kind in a project of its own, which has no data on its cluster. */
export async function seedThing(database: Database, kind: ShownKind, organization?: string): Promise<Thing> {
  const { kysely } = database;
  const organizationId = organization ?? (await seedOrganization(database));
  const own = tenant(kysely, organizationId);
  const { projectId, environmentId, serviceId, processId } = await seedPlace(database, organizationId);
  const volumeId = crypto.randomUUID();
  const ids = { service: serviceId, database: serviceId, volume: volumeId, environment: environmentId };
  const id = kind === 'project' ? projectId : ids[kind];
  if (kind === 'database') {
    await own.updateTable('service').set({ template: 'postgresql' }).where('id', '=', id).execute();
  }
  if (kind === 'volume') {
    // No environment runs its service, so no agent has anything to delete.
    await own.deleteFrom('environment_service').where('service_id', '=', serviceId).execute();
    const of = { service_id: serviceId, process_id: processId };
    const volume = { id, ...of, name: 'data', mount_path: '/data', size_bytes: 1 };
    await own.insertInto('volume').values(volume).execute();
  }
  const listed = () => findDeletedThing(kysely, organizationId, kind, id);
  const run = (work: (one: Effect) => Promise<unknown>) =>
    effect(database, tester, async (one) => void (await work(one)));

  async function remove(deleting: Effect): Promise<unknown> {
    if (kind === 'project') {
      return deleteProject(deleting, there(await findProject(kysely, organizationId, id)), { wait: false });
    }
    if (kind === 'environment') {
      return deleteEnvironment(deleting, there(await findEnvironment(kysely, organizationId, id)), { wait: false });
    }
    if (kind === 'volume') {
      const names = { name: 'data', slug: '', context: '', detail: '' };
      return deleteThing(deleting, { organizationId, projectId, kind, subjectId: id, ...names });
    }
    const service = there(await findService(kysely, organizationId, id));
    return deleteService(deleting, service, { check: () => undefined, wait: false });
  }

  return {
    organizationId,
    kind,
    delete: () => run(remove),
    restore: () => run(async (restoring) => restoreThing(restoring, there(await listed()))),
    purge: () => run(async (purging) => requestPurgeOfThing(purging, there(await listed()))),
    listed,
    async is() {
      const row = await own
        .selectFrom(tableOfThing[kind])
        .select('deletion_id')
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return 'gone';
      return row.deletion_id === null ? 'there' : 'hidden';
    },
  };
}

/** Deletes it; its actor waits by the clock that skips for as long as its row says. */
export async function deleted({ ground, skipping, start, pass }: SkippingGround, thing: Thing) {
  const { database } = ground;
  await thing.delete();
  const { deletionId, createdAt, restoreUntil } = there(await thing.listed());
  const { organizationId, kind } = thing;
  const begun = (await skipping().currentTimeMs()) + createdAt.getTime() - Date.now();
  const until = begun + restoreUntil.getTime() - createdAt.getTime();
  const input = { deletionId, organizationId, restoreUntil: new Date(until).toISOString(), thing: kind };
  const handle = await start({ kind: 'deletion', rowId: deletionId, organizationId, state: 'retained', input });
  const state = async () => (await deletionRow(database, deletionId)).state;
  /** For PostgreSQL, whose clock does not skip, its time is over by so much sooner. */
  async function passInRow(milliseconds: number): Promise<void> {
    const { restore_until: before } = await deletionRow(database, deletionId);
    const row = database.kysely
      .updateTable('deletion')
      .set({ restore_until: new Date(before.getTime() - milliseconds) });
    await row.where('id', '=', deletionId).execute();
  }
  return {
    handle,
    passInRow,
    /** So much time passes for both: the row and the actor, which waits. */
    async pass(milliseconds: number): Promise<void> {
      await passInRow(milliseconds);
      await pass(handle, milliseconds);
    },
    /** States of the row and of what was deleted. */
    states: async () => [await state(), await thing.is()],
    /** How long after the deletion its actor first tried to purge, rounded down to hours: too early is an hour less. */
    async claimedAfter(): Promise<number | undefined> {
      const { events } = await handle.fetchHistory();
      const claim = events?.find(
        ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name === 'claimPurge',
      );
      if (claim === undefined) return undefined;
      return Math.floor((requiredTsToMs(claim.eventTime, 'eventTime') - begun) / hour) * hour;
    },
  };
}

function there<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('It is not there.');
  return found;
}
