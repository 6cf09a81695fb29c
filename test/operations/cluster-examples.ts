import { storeHistoryPage } from '../../db/engine/archive/history-archive.ts';
import { recordedHistory } from '../actors/recorded-history.ts';
import { seedToken } from '../installation/running-api.ts';
import { seedAgent, seedInstance, seedReleases } from '../seeds/seed-cluster.ts';
import type { Example, ExampleGround } from './example.ts';

/** Examples of clusters and of what happens on them. */
export function clusterExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const cluster = async () => {
    const body = { name: `Cluster ${crypto.randomUUID()}` };
    // With a token of its own: one makes no more than sixty a minute.
    const as = await seedToken(api.database, ours.organizationId, 'admin');
    const made = await api.call('POST', '/api/v1/clusters', { as, body });
    const { id } = made.body.cluster as { id: string };
    return { id };
  };
  /** A cluster whose agent is in contact and runs an old release. */
  const living = async () => {
    const { older, newer } = await seedReleases(api.database);
    const { id } = await cluster();
    await seedAgent(api.database, id, older);
    return { id, older, newer };
  };
  const updating = async () => {
    const { id } = await living();
    await api.call('POST', `/api/v1/clusters/${id}/agent/update`, { as: ours.tokens.admin, body: {} });
    return { id };
  };
  const workload = () => ({
    image: { layout: '/srv/app' },
    processes: [{ name: 'web', kind: 'http', port: 8080 }],
    environment: { GREETING: 'hello' },
  });
  const inhabited = async () => {
    const { id } = await living();
    await api.call('PUT', `/api/v1/clusters/${id}/workloads/app`, { as: ours.tokens.admin, body: workload() });
    const instance = await seedInstance(api.database, { id, organizationId: ours.organizationId }, 'app');
    return { id, name: 'app', instance };
  };
  const commanded = async () => {
    const { id } = await inhabited();
    const body = { kind: 'restart', workload: 'app' };
    const made = await api.call('POST', `/api/v1/clusters/${id}/commands`, { as: ours.tokens.admin, body });
    return { id, commandId: String(made.body.id) };
  };
  /** A cluster that is over, with a history that was recorded. */
  const archived = async () => {
    const { id } = await cluster();
    const over = { state: 'deleted', finished_at: new Date(), archived_at: new Date() } as const;
    await api.database.kysely.updateTable('cluster').set(over).where('id', '=', id).execute();
    const page = { actorId: `cluster/${id}`, runId: crypto.randomUUID(), page: 0, organizationId: ours.organizationId };
    const bytes = await recordedHistory('cluster-deleted');
    await storeHistoryPage(api.database.kysely, api.keyring, { ...page, bytes });
    return { id };
  };

  return {
    'searches.search': { prepare: cluster },
    'attention.list': { prepare: cluster },
    'clusters.list': { prepare: cluster },
    'clusters.create': { body: () => ({ name: 'Made', region: 'here' }) },
    'clusters.sshKey': {},
    'clusters.get': { prepare: living },
    'clusters.change': { prepare: cluster, body: () => ({ name: 'Changed', schedulable: false }) },
    'clusters.delete': { prepare: cluster },
    'clusters.createEnrollmentToken': { prepare: cluster },
    'clusters.installDbOperator': { prepare: living, fails: 409 },
    'clusters.agent': { prepare: updating },
    'clusters.updateAgent': { prepare: living },
    'clusters.cancelAgentUpdate': { prepare: updating },
    'clusters.rollbackAgent': {
      prepare: async () => {
        const { id, older, newer } = await living();
        const update = await api.call('POST', `/api/v1/clusters/${id}/agent/update`, { as: ours.tokens.admin });
        await api.database.kysely
          .updateTable('agent_update')
          .set({ state: 'succeeded', finished_at: new Date() })
          .where('id', '=', String(update.body.id))
          .execute();
        await seedAgent(api.database, id, newer);
        return { id, older };
      },
      body: ({ older }) => ({ image: older }),
    },
    'clusters.revokeAgent': { prepare: living },
    'clusters.events': { prepare: cluster },
    'clusters.organizationEvents': {},
    'clusters.privatenetDevices': { prepare: cluster },
    'clusters.meshPeers': { prepare: cluster },
    'clusters.deleteMeshPeer': {
      prepare: async () => ({ ...(await cluster()), peerId: crypto.randomUUID() }),
      fails: 404,
    },
    'workloads.list': { prepare: inhabited },
    'workloads.put': { prepare: async () => ({ ...(await cluster()), name: 'app' }), body: workload },
    'workloads.putAll': {
      prepare: inhabited,
      body: () => ({ workloads: [{ name: 'two', ...workload() }], prune: true }),
    },
    'workloads.remove': { prepare: inhabited },
    'workloads.instances': { prepare: inhabited },
    'workloads.logLines': {
      prepare: async () => {
        const { id, instance } = await inhabited();
        return { id, instanceId: instance };
      },
      // Nobody there speaks for the machine.
      fails: 409,
    },
    'workloads.runs': {
      prepare: async () => {
        const { id, instance } = await inhabited();
        return { id, instanceId: instance };
      },
      // Nobody there speaks for the machine.
      fails: 409,
    },
    'clusterCommands.create': {
      prepare: inhabited,
      body: ({ instance }) => ({ kind: 'exec', instance, command: ['true'] }),
    },
    'clusterCommands.get': { prepare: commanded },
    'clusterCommands.cancel': { prepare: commanded },
    'workflows.list': { prepare: cluster, also: [{ query: ({ id = '' }) => ({ subjectId: id }) }] },
    'workflows.get': { prepare: cluster },
    'workflows.history': { prepare: archived },
    'workflows.export': { prepare: archived },
  };
}
