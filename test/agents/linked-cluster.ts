import { listClusterEvents } from '../../db/clusters/cluster-events.ts';
import type { ClusterRef } from '../../db/clusters/clusters.ts';
import { createEnrollmentToken } from '../../db/clusters/enrollment-tokens.ts';
import { type Effect, effect } from '../../db/engine/effect.ts';
import type { RunningApi } from '../installation/running-api.ts';
import { machine } from '../seeds/seed.ts';

/** The control plane's side of a cluster that an agent talks to: a token to enrol with, and what became of its words. */
export function linkedCluster(at: () => { api: RunningApi; cluster: ClusterRef }) {
  const running = <T>(work: (effect: Effect) => Promise<T>): Promise<T> => effect(at().api.database, machine, work);
  const token = async () => (await running((effect) => createEnrollmentToken(effect, at().cluster))).secret;
  /** The messages to the cluster's actor, in order. */
  async function told(): Promise<string[]> {
    const { api, cluster } = at();
    const rows = await api.database.kysely
      .selectFrom('outbox')
      .select('message')
      .where('actor_id', '=', `cluster/${cluster.id}`)
      .where('kind', '=', 'message')
      .orderBy('id')
      .execute();
    return rows.map(({ message }) => message ?? '');
  }
  /** The kinds of what happened to the cluster, the latest first. */
  async function events() {
    const { api, cluster } = at();
    const query = { clusterId: cluster.id, limit: 100 };
    return (await listClusterEvents(api.database.kysely, cluster.organizationId, query)).map(({ kind }) => kind);
  }
  return { running, token, told, events };
}
