import { v7 as uuid } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { storeRelease } from '../../db/agent-updates/agent-releases.ts';
import {
  type AgentUpdateView,
  cancelAgentUpdate,
  findAgentUpdate,
  requestAgentUpdate,
  updateCommandId,
} from '../../db/agent-updates/agent-updates.ts';
import { enrolAgent, welcomeAgent } from '../../db/agents/cluster-agents.ts';
import { listClusterEvents } from '../../db/clusters/cluster-events.ts';
import { type ClusterRef, createCluster } from '../../db/clusters/clusters.ts';
import { createEnrollmentToken } from '../../db/clusters/enrollment-tokens.ts';
import { commandView, finishCommand } from '../../db/commands/cluster-commands.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import { actorId } from '../../domain/actors/actors.ts';
import { tester } from '../../test/actors/actors.ts';
import { servedGround } from '../../test/actors/grounds/served-ground.ts';
import { until } from '../../test/ground/until.ts';
import { seedOrganization } from '../../test/seeds/seed.ts';
import { mendActor } from '../../worker/duties/mend-actor.ts';
import { openRows } from '../../worker/duties/open-rows.ts';
import { openMetrics } from '../../worker/host/metrics.ts';

const toImage = 'ballast-agent:2-222222222222';
const journalId = uuid();

const ground = await servedGround();
const organizationId = await seedOrganization(ground.database);
const digest = `sha256:${'2'.repeat(64)}`;
await storeRelease(ground.database.kysely, {
  image: toImage,
  version: '2',
  digest,
  bytes: Buffer.from('two'),
  proof: {},
});

afterAll(() => ground.close());

const run = <T>(work: (effect: Effect) => Promise<T>) => effect(ground.database, tester, work);

/** A cluster whose agent has just been asked to update. */
async function begin(image = toImage): Promise<{ cluster: ClusterRef; update: AgentUpdateView; credential: Buffer }> {
  const cluster = await run((making) => createCluster(making, { organizationId, name: `c-${uuid()}` }));
  const credential = Buffer.from(uuid());
  const { secret: token } = await run((making) => createEnrollmentToken(making, cluster));
  await run((enrolling) => enrolAgent(enrolling, { token, credentialHash: credential, version: '1', hostname: 'h' }));
  await hello({ cluster, credential }, 'ballast-agent:1-111111111111');
  const update = await run((asking) => requestAgentUpdate(asking, cluster, { kind: 'update', toImage: image }));
  await deliver({ cluster, update });
  return { cluster, update, credential };
}

async function hello(of: { cluster: ClusterRef; credential: Buffer }, image: string, reason?: string): Promise<void> {
  const returned = reason === undefined ? undefined : { from: toImage, reason };
  const journalled = await ground.database.kysely.selectFrom('cluster_command').select('id').execute();
  const said = { minor: 0, version: '1', image, journalId, journalled: journalled.map(({ id }) => id), facts: {} };
  await run((welcoming) => welcomeAgent(welcoming, of.cluster, of.credential, { ...said, returned }));
}

async function deliver({ cluster, update }: { cluster: ClusterRef; update: AgentUpdateView }): Promise<void> {
  await ground.delivery.deliver(actorId('cluster', cluster.id));
  await ground.delivery.deliver(actorId('agent-update', update.id));
}

const handle = ({ id }: AgentUpdateView) => ground.temporal.client.workflow.getHandle(actorId('agent-update', id));
const asked = ({ cluster, update }: { cluster: ClusterRef; update: AgentUpdateView }) =>
  until('the command', () => commandView(ground.database.kysely, cluster, updateCommandId(update.id)));
const clusterIs = (cluster: ClusterRef, state: string) =>
  until(`the cluster is ${state}`, async () => {
    await ground.delivery.deliver(actorId('cluster', cluster.id));
    const { kysely } = ground.database;
    const row = await kysely.selectFrom('cluster').select('state').where('id', '=', cluster.id).executeTakeFirst();
    return row?.state === state;
  });
const events = async ({ id }: ClusterRef) =>
  (await listClusterEvents(ground.database.kysely, organizationId, { clusterId: id, limit: 50 }))
    .map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('agent.update'));

test('the new version says hello: it has succeeded, and the cluster is not updating any more', async () => {
  const begun = await begin();
  expect(await asked(begun)).toMatchObject({ kind: 'update', state: 'queued' });
  await clusterIs(begun.cluster, 'updating');
  await expect(
    run((asking) => requestAgentUpdate(asking, begun.cluster, { kind: 'update', toImage })),
  ).rejects.toMatchObject({ code: 'update-in-progress' });
  await handle(begun.update).signal('progress', { id: 'p', body: { phase: 'switching' } });
  const row = () => findAgentUpdate(ground.database.kysely, begun.cluster, begun.update.id);
  await until('the agent switches', async () => (await row())?.state === 'switching');
  await expect(run((cancelling) => cancelAgentUpdate(cancelling, begun.cluster))).rejects.toMatchObject({
    code: 'already-decided',
  });
  await hello(begun, toImage);
  await deliver(begun);
  expect(await handle(begun.update).result()).toBe('succeeded');
  await clusterIs(begun.cluster, 'ready');
  expect(await events(begun.cluster)).toEqual(['agent.update.succeeded', 'agent.update.started']);
});

test('the old version says that it came back: returned, with its reason', async () => {
  const begun = await begin();
  await asked(begun);
  await hello(begun, 'ballast-agent:1-111111111111', 'It did not start.');
  await deliver(begun);
  expect(await handle(begun.update).result()).toBe('returned');
  const row = await findAgentUpdate(ground.database.kysely, begun.cluster, begun.update.id);
  expect(row).toMatchObject({ state: 'returned', message: 'It did not start.' });
  expect(await events(begun.cluster)).toEqual(['agent.update.returned', 'agent.update.started']);
});

test('the agent could not do it: failed, with what it said', async () => {
  const begun = await begin();
  const { id } = await asked(begun);
  const result = { attempt: 1, outcome: 'failed', message: 'The digest is another one.' } as const;
  await run((finishing) => finishCommand(finishing, begun.cluster, id, result));
  await deliver(begun);
  expect(await handle(begun.update).result()).toBe('failed');
  const row = await findAgentUpdate(ground.database.kysely, begun.cluster, begun.update.id);
  expect(row).toMatchObject({ state: 'failed', message: 'The digest is another one.' });
});

test('somebody cancels it: the row decides, and the agent is not asked any more', async () => {
  const begun = await begin();
  const { id } = await asked(begun);
  await run((cancelling) => cancelAgentUpdate(cancelling, begun.cluster));
  await deliver(begun);
  expect(await handle(begun.update).result()).toBe('cancelled');
  expect(await commandView(ground.database.kysely, begun.cluster, id)).toMatchObject({ state: 'cancelled' });
  await clusterIs(begun.cluster, 'ready');
});

test('a release that this control plane does not have fails at once', async () => {
  const begun = await begin('ballast-agent:9-999999999999');
  expect(await handle(begun.update).result()).toBe('failed');
});

test('its actor is ended from outside: the row says so, and the cluster is not updating for ever', async () => {
  const begun = await begin();
  const { id } = await asked(begun);
  await clusterIs(begun.cluster, 'updating');
  await handle(begun.update).terminate();
  const { database, temporal, log } = ground;
  const open = (await openRows(database, 'agent-update', 0)).find((one) => one.id === begun.update.id);
  if (open === undefined) throw new Error('Its row is not open.');
  await mendActor({ database, temporal, log, metrics: openMetrics(undefined) }, open);
  await deliver(begun);
  await clusterIs(begun.cluster, 'ready');
  expect(await commandView(ground.database.kysely, begun.cluster, id)).toMatchObject({ state: 'cancelled' });
});
