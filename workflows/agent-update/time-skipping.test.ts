import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { storeRelease } from '../../db/agent-updates/agent-releases.ts';
import { findAgentUpdate } from '../../db/agent-updates/agent-updates.ts';
import { updateCommandId } from '../../db/agent-updates/update-command.ts';
import { createCluster } from '../../db/clusters/clusters.ts';
import { commandView } from '../../db/commands/cluster-commands.ts';
import { effect } from '../../db/engine/effect.ts';
import { tester } from '../../test/actors/actors.ts';
import { skippingGround } from '../../test/actors/skipping-ground.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';

const { ground, skips, start } = await skippingGround();

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
