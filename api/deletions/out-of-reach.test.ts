import { expect, test } from 'vitest';
import { createActivities as clusterActivities } from '../../activities/cluster.ts';
import { purgeThing, thingOf } from '../../db/deletions/things/purge-thing.ts';
import { deleteVolumesMinor } from '../../domain/clusters/clusters.ts';
import { protocolVersion } from '../../protocol/version.ts';
import { inActor } from '../../test/actors/in-actor.ts';
import { linkedCluster } from '../../test/agents/linked-cluster.ts';
import { PeerAgent } from '../../test/agents/peer-agent.ts';
import { ok } from '../../test/api/client.ts';
import { expectProblem } from '../../test/api/expect-problem.ts';
import { deletionsGround } from '../../test/seeds/made-deletions.ts';
import { machine } from '../../test/seeds/seed.ts';
import { deletionWords } from '../../workflows/deletion/words.ts';

const { api, ours, own, call, itemOf, remove, purge, actor, mounting } = deletionsGround();

/** The service is deleted, and its purge requested. */
async function purging({ serviceId, name }: { serviceId: string; name: string }): Promise<string> {
  expect((await remove(`/services/${serviceId}`)).status).toBe(204);
  const { deletionId = '' } = (await itemOf(serviceId)) ?? {};
  expect((await purge('service', serviceId, name)).status).toBe(204);
  return deletionId;
}

/** Deletes a cluster as a person and then its actor do. */
async function removeCluster(clusterId: string): Promise<void> {
  ok(await remove(`/clusters/${clusterId}`), 204);
  const { deleteCluster } = clusterActivities(api);
  const { organizationId } = ours;
  await inActor(`cluster/${clusterId}`, () => deleteCluster({ clusterId, organizationId, revision: 9 }));
}

const nameOf = async (clusterId: string) => (await ours.rows.all('cluster', { id: clusterId }))[0];

async function audited(subjectId: string, action: string) {
  const rows = await ours.rows.all('audit_record', { subject_id: subjectId, action: action as never });
  return rows.map(({ details }) => details);
}

/** The history's words for an attempt to purge that answered so. */
function words(result: object) {
  return deletionWords.activities.purgeThing?.done?.({} as never, result as never, { thing: 'service' } as never);
}

test('a cluster with data of what was deleted is not deleted while its agent could delete them; the purge says what was out of reach', async () => {
  const place = await mounting();
  const { serviceId, clusterId, name, environmentId } = place;
  const { name: cluster = '' } = (await nameOf(clusterId)) ?? {};
  const deletionId = await purging(place);
  const refused = await remove(`/clusters/${clusterId}`);
  expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining(`the service "${name}"`) } });
  expect((await call('DELETE', `/clusters/${clusterId}/agent`)).status).toBe(204);
  expect(await actor(deletionId)).toMatchObject({
    state: 'purging',
    waits: expect.stringContaining(
      `The agent of the cluster "${cluster}" is still to delete its data, and the cluster has no agent`,
    ),
  });
  await removeCluster(clusterId);
  expect(await audited(clusterId, 'cluster.deletion_requested')).toEqual([{ dataLeft: `the service "${name}"` }]);
  // Killed when its releases are gone, which tell where the data are.
  const row = { id: deletionId, organization_id: ours.organizationId, kind: 'service', subject_id: serviceId };
  const killed = ({ table, deleted }: { table: string; deleted: number }) => {
    if (table === 'volume' && deleted > 0) throw new Error('killed');
  };
  const purging1 = {
    database: api.database,
    keyring: api.keyring,
    author: machine,
    batchSize: 100,
    onProgress: killed,
  };
  await expect(purgeThing(purging1, thingOf(row))).rejects.toThrow('killed');
  expect(await ours.rows.all('deployment', { service_id: serviceId })).toEqual([]);
  const sentence = `The data of "${name}" in "Staging" on the cluster "${cluster}" could not be deleted, since that cluster was removed before: delete on its machine what is left of them.`;
  const ended = await actor(deletionId);
  expect(ended).toMatchObject({ state: 'purged', undeleted: sentence, message: sentence, blocker: null });
  expect(await audited(serviceId, 'service.purged')).toMatchObject([{ message: sentence }]);
  expect(words({ deletedRows: 3, undeleted: sentence })).toEqual({
    title: 'Deleted the service, but not all of its data',
    detail: `3 rows. ${sentence}`,
  });
  expect(await call('GET', `/workflows/${deletionId}`)).toMatchObject({ body: { message: sentence } });
  expect(await ours.rows.all('environment', { id: environmentId })).toHaveLength(1);
});

test('a cluster whose agent has deleted the data is deleted, and the purge goes on for another one', async () => {
  const place = await mounting();
  const { environmentId, clusterId, serviceId, key } = place;
  const { clusterId: other } = await mounting();
  await ours.rows.remove('cluster_slice', { key });
  // Its data stay there, and are purged.
  expect((await call('PATCH', `/environments/${environmentId}`, { clusterId: other })).status).toBe(200);
  const [left] = await ours.rows.all('left_volume', { cluster_id: clusterId });
  expectProblem(await remove(`/clusters/${clusterId}`), 409, 'the volume "data"');
  expect((await purge('volume', left?.id ?? '', 'data')).status).toBe(204);
  expect(await actor(left?.deletion_id)).toMatchObject({ state: 'purging' });
  expect((await remove(`/clusters/${clusterId}`)).status).toBe(409);
  const commands = own().updateTable('cluster_command').set({ state: 'done', finished_at: new Date() });
  await commands.where('actor_id', '=', `deletion/${left?.deletion_id}`).execute();
  await removeCluster(clusterId);
  expect(await actor(left?.deletion_id)).toMatchObject({ state: 'purged', message: null });
  // Nothing of the service was there any more when the cluster was removed.
  const deletionId = await purging(place);
  const { name: elsewhere } = (await nameOf(other)) ?? {};
  const waits = await actor(deletionId);
  expect(waits).toMatchObject({ state: 'purging', waits: expect.stringContaining(`"${elsewhere}"`) });
  await commands.where('actor_id', '=', `deletion/${deletionId}`).execute();
  expect(await actor(deletionId)).toMatchObject({ state: 'purged', message: null, undeleted: null });
  expect(await audited(serviceId, 'service.purged')).toMatchObject([
    expect.not.objectContaining({ message: expect.anything() }),
  ]);
});

test('an agent that is too old, and then away, is named with what to do, and deletes the data once it is updated and back', async () => {
  const place = await mounting();
  const { clusterId, organizationId } = place;
  const { name: cluster, slug } = (await nameOf(clusterId)) ?? {};
  const agent = new PeerAgent(api.url);
  const old = { protocol: { major: protocolVersion.major, minor: deleteVolumesMinor - 1 } };
  const { token } = linkedCluster(() => ({ api, cluster: { id: clusterId, organizationId } }));
  await agent.join(await token(), old);
  const deletionId = await purging(place);
  const attention = async () => {
    const { body } = await call('GET', '/attention');
    return (body.items as { workflow?: { id: string }; detail: string }[]).find(
      ({ workflow }) => workflow?.id === deletionId,
    );
  };
  expect(await actor(deletionId)).toMatchObject({ state: 'purging' });
  expect(await attention()).toBeUndefined();
  await ours.rows.set('deletion', { id: deletionId }, { purge_started_at: new Date(Date.now() - 11 * 60_000) });

  const tooOld = `The agent of the cluster "${cluster}" is still to delete its data, and is too old for it: update it with \`./ballast cluster update --cluster ${slug}\`.`;
  expect((await actor(deletionId)).waits).toBe(tooOld);
  expect(await attention()).toMatchObject({ kind: 'workflow.stuck', name: place.name, detail: tooOld });
  expect(words({ deletedRows: 0, waits: tooOld })).toEqual({ title: 'Waited with the purge', detail: tooOld });
  // An agent of then would refuse what it does not know: nothing of it is sent there.
  expect((await agent.work(0)).commands).toEqual([]);

  await ours.rows.set('cluster_agent', { cluster_id: clusterId }, { contact: 'lost' });
  const away = `The agent of the cluster "${cluster}" is still to delete its data, and has lost contact: start its machine and the agent there. If the machine is lost, revoke the agent and delete the cluster.`;
  expect((await actor(deletionId)).waits).toBe(away);
  expect(await attention()).toMatchObject({ detail: away });

  await agent.hello();
  const [command, ...more] = (await agent.work(0)).commands;
  expect([command?.body, more]).toEqual([{ kind: 'delete-volumes', key: place.key }, []]);
  await agent.result(command?.id ?? '');
  expect(
    await ours.rows.all('outbox', { actor_id: `deletion/${deletionId}`, message: 'commandFinished' }),
  ).toMatchObject([{ body: { state: 'done' } }]);
  expect(await actor(deletionId)).toMatchObject({ state: 'purged', message: null });
  expect(await attention()).toBeUndefined();
});
