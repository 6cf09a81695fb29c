import { v7 as uuid } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { storeRelease } from '../db/agent-updates/agent-releases.ts';
import { findAgentUpdate, updateCommandId } from '../db/agent-updates/agent-updates.ts';
import { createCluster } from '../db/clusters/clusters.ts';
import { commandView, endCommand } from '../db/commands/cluster-commands.ts';
import { effect } from '../db/engine/effect.ts';
import { findProject } from '../db/projects/projects.ts';
import { approvalHours } from '../domain/approvals/approvals.ts';
import { type DeletedOrganization, deletedOrganization, deletionRow, tester } from '../test/actors/actors.ts';
import { deletedProject } from '../test/actors/deleted-project.ts';
import { expiringApprovals } from '../test/actors/expiring-approval.ts';
import { givesUp } from '../test/actors/grounds/channel-down.ts';
import { skippingGround } from '../test/actors/grounds/skipping-ground.ts';
import { receiver } from '../test/ground/receiver.ts';
import { seedOrganization } from '../test/seeds/seed.ts';
import type { DeletionView } from './deletion/state.ts';

// One server whose clock skips for what every kind of actor waits for: it starts longer than its tests take.
const other = await receiver();
other.otherwise(503);
afterAll(() => other.close());
const world = await skippingGround(async () => ({ outbound: other.rules, pagerUrl: other.url() }));
const { ground, skips, skipping, start, pass } = world;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe.skipIf(!skips)('a deletion', () => {
  const row = ({ deletionId }: { deletionId: string }) => deletionRow(ground.database, deletionId);
  const handle = ({ actor }: DeletedOrganization) => skipping().client.workflow.getHandle(actor);
  const restoreUntil = async () => new Date((await skipping().currentTimeMs()) + 7 * day).toISOString();
  /** The pauses between the attempts to purge, in seconds: the first timer is that of the retention. */
  const pauses = async (deletion: DeletedOrganization): Promise<number[]> => {
    const { events = [] } = await handle(deletion).fetchHistory();
    const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => timer ?? []);
    return timers.slice(1).map(({ startToFireTimeout: time }) => Number(time?.seconds ?? 0));
  };

  test('after seven days it is purged, and not a day earlier', async () => {
    // PostgreSQL's clock does not skip: with a retention of 0 the time has passed for it, however long the actor waits.
    const deletion = await deletedOrganization(ground.database, 0);
    const { deletionId, organizationId } = deletion;
    const input = { deletionId, organizationId, restoreUntil: await restoreUntil() };
    await start({ kind: 'deletion', rowId: deletionId, organizationId, state: 'retained', input });
    await pass(handle(deletion), 6 * day);
    expect(await handle(deletion).query<DeletionView>('view')).toMatchObject({ phase: 'retained' });
    expect(await row(deletion)).toMatchObject({ state: 'retained' });
    expect(await handle(deletion).result()).toBe('purged');
    expect(await row(deletion)).toMatchObject({ state: 'purged' });
  });

  test('a project after seven days: while its cluster is away the purge waits, for hours here, and then goes on', async () => {
    const { thing, clusterId, ...deletion } = await deletedProject(ground.database);
    const { deletionId, organizationId } = deletion;
    const input = { deletionId, organizationId, restoreUntil: await restoreUntil(), thing: 'project' as const };
    await start({ kind: 'deletion', rowId: deletionId, organizationId, state: 'retained', input });
    await pass(handle(deletion), 6 * day);
    expect(await row(deletion)).toMatchObject({ state: 'retained' });
    await pass(handle(deletion), day + 5 * hour);
    expect(await handle(deletion).query<DeletionView>('view')).toMatchObject({ phase: 'purging' });
    expect((await row(deletion)).message).toContain('is still to delete its data');
    const commands = ground.database.kysely
      .selectFrom('cluster_command')
      .select('id')
      .where('cluster_id', '=', clusterId);
    const [first, second, ...more] = await commands.execute();
    expect(more).toEqual([]);
    const end = async (id = '', state: 'failed' | 'done') => {
      await effect(ground.database, tester, (ending) => endCommand(ending, id, { state, message: 'It is mounted.' }));
      // As if it had rested: PostgreSQL's clock does not skip.
      const rested = ground.database.kysely.updateTable('cluster_command').set({ finished_at: new Date(0) });
      await rested.where('id', '=', id).execute();
      await handle(deletion).signal('commandFinished', { id, body: { state, message: null } });
      await pass(handle(deletion), 0);
    };
    // The pauses have grown; an answer that brings nothing leaves them as they are, and after one that does they start again.
    expect((await pauses(deletion)).slice(0, 4)).toEqual([5, 10, 20, 40]);
    await end(first?.id, 'failed');
    expect((await pauses(deletion)).slice(-2)).toEqual([3_600, 3_600]);
    await end(second?.id, 'done');
    expect((await pauses(deletion)).slice(-2)).toEqual([3_600, 5]);
    const last = await commands.where('state', '=', 'queued').executeTakeFirst();
    await effect(ground.database, tester, (ending) => endCommand(ending, last?.id ?? '', { state: 'done' }));
    await handle(deletion).signal('commandFinished', { id: 'last', body: { state: 'done', message: null } });
    expect(await handle(deletion).result()).toBe('purged');
    expect(await findProject(ground.database.kysely, organizationId, thing)).toBeUndefined();
    expect(await row(deletion)).toMatchObject({ state: 'purged', message: null });
  });
});

describe.skipIf(!skips)('30 days until an approval expires', () => {
  const approvals = expiringApprovals(world);

  test('they are 720 hours, although summer time begins meanwhile', async () => {
    await skipping().sleep((await nextSpring()) - (await skipping().currentTimeMs()));
    const held = await approvals.begin(await seedOrganization(ground.database), true);
    await pass(approvals.handle(held), (approvalHours - 2) * hour);
    expect(await approvals.row(held)).toEqual({ state: 'pending', waitsFor: 'approval' });
    expect(await approvals.handle(held).result()).toBe('expired');
    const { startTime, closeTime } = await approvals.handle(held).describe();
    expect(Math.round(((closeTime?.getTime() ?? 0) - startTime.getTime()) / hour)).toBe(720);
    // So that the clocks of people did go forward: the same hours end an hour later by them.
    expect(clockOf(held.expires)).toBe((clockOf(startTime.getTime()) + 1) % 24);
    expect(await approvals.decisions(held)).toEqual(['expired']);
  });

  test('a database whose clock is behind is asked again each minute, and not as fast as it answers', async () => {
    const held = await approvals.begin(await seedOrganization(ground.database), false);
    await pass(approvals.handle(held), approvalHours * hour + 3 * minute);
    expect(await approvals.row(held)).toEqual({ state: 'pending', waitsFor: 'approval' });
    const asked = await approvals.scheduled(held, 'expireDeployment');
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThanOrEqual(4);
    await approvals.passes(held, true);
    expect(await approvals.handle(held).result()).toBe('expired');
  });
});

describe.skipIf(!skips)('an agent of which nothing is heard', () => {
  test.each([
    ['never takes the update', undefined, 15],
    ['never says that it has downloaded it', 'downloading', 30],
    ['never comes back after the switch', 'switching', 3],
  ])('%s: the update fails by itself', async (_words, phase, minutes) => {
    const toImage = 'ballast-agent:2-222222222222';
    const digest = `sha256:${'2'.repeat(64)}`;
    const { database } = ground;
    await storeRelease(database.kysely, { image: toImage, version: '2', digest, bytes: Buffer.from('two'), proof: {} });
    const organizationId = await seedOrganization(database);
    const cluster = await effect(database, tester, (making) => createCluster(making, { organizationId, name: 'c' }));
    const updateId = uuid();
    const fromImage = 'ballast-agent:1-111111111111';
    await database.kysely
      .insertInto('agent_update')
      .values({
        id: updateId,
        organization_id: organizationId,
        cluster_id: cluster.id,
        kind: 'update',
        from_image: fromImage,
        to_image: toImage,
        requested_by_kind: 'user',
        requested_by_id: 'tester',
        requested_by_name: 'Tester',
      })
      .execute();
    const input = { updateId, clusterId: cluster.id, organizationId, fromImage, toImage };
    const handle = await start({ kind: 'agent-update', rowId: updateId, organizationId, state: 'requested', input });
    if (phase !== undefined) await handle.signal('progress', { id: 'p', body: { phase } });
    expect(await handle.result()).toBe('failed');
    const { startTime, closeTime } = await handle.describe();
    expect(Math.round(((closeTime?.getTime() ?? 0) - startTime.getTime()) / 60_000)).toBe(minutes);
    const row = await findAgentUpdate(database.kysely, cluster, updateId);
    expect(row).toMatchObject({ state: 'failed', message: expect.stringContaining('look at its log') });
    const command = await commandView(database.kysely, cluster, updateCommandId(updateId));
    expect(command).toMatchObject({ state: 'cancelled' });
  });
});

test.skipIf(!skips)(
  'a channel that is down: after the last of 24 attempts, each later than the one before it, a message to it gives up',
  () => givesUp(world, other, 'notification-delivery', 20),
);

const clockOf = (at: number) =>
  Number(new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: 'numeric', hour12: false }).format(at));

/** Noon of a day in March, some days before the clocks of Europe go forward. */
async function nextSpring(): Promise<number> {
  const year = new Date(await skipping().currentTimeMs()).getUTCFullYear();
  return Date.UTC(year + 1, 2, 20, 12);
}
