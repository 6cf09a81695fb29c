import { afterAll, beforeAll } from 'vitest';
import { tenant } from '../../db/postgres/tenant.ts';
import type { Organization } from '../api/client.ts';
import { type RunningApi, runningApi } from '../installation/running-api.ts';
import { asDeletionActor } from '../walks/as-deletion-actor.ts';
import { seedPlace, seedRelease } from './seed-place.ts';
import { tenantRow } from './tenant-row.ts';

interface Item {
  id: string;
  kind: string;
  name: string;
  detail: string;
  context: string;
  restorable: boolean;
  deletionId: string;
}

/** An API for all tests of a file; things with something to lose, and their deletion, restoration and purge over HTTP. */
export function deletionsGround() {
  // Filled before the first test.
  const api = {} as RunningApi;
  const ours = {} as Organization;
  beforeAll(async () => {
    Object.assign(api, await runningApi());
    Object.assign(ours, await api.organization());
  });
  afterAll(() => api.close());
  const own = () => tenant(api.database.kysely, ours.organizationId);
  const call = (method: string, path: string, body?: object, as = ours.tokens.admin) =>
    api.as(as).call(method, path, body);
  const listed = async (as = ours.tokens.admin) =>
    (await call('GET', '/deleted?limit=200', undefined, as)).body.items as Item[];

  /** A service in an environment, with a live release, a variable and a workload. */
  async function running(given: Parameters<typeof seedPlace>[2] = {}) {
    const place = await seedPlace(api.database, ours.organizationId, given);
    const { id: releaseId } = await seedRelease(api.database, place, 1);
    const { environmentId: environment_id, serviceId: service_id, clusterId } = place;
    const live = own().updateTable('environment_service').set({ live_release_id: releaseId, live_at: new Date() });
    await live.where('environment_id', '=', environment_id).where('service_id', '=', service_id).execute();
    const variable = { environment_id, service_id, key: 'A', value: '1', updated_by: 'Ada' };
    await own().insertInto('variable').values(variable).execute();
    const key = `env/${environment_id}/${service_id}`;
    const slice = { cluster_id: clusterId, key, name: 'x', revision: 1, workload: { processes: [] } };
    await own().insertInto('cluster_slice').values(slice).execute();
    const { name } = (await call('GET', `/services/${service_id}`)).body as { name: string };
    return { ...place, releaseId, key, name };
  }

  /** A volume of a service, as its process's definition has it. */
  async function volumeOf(
    { serviceId, processId }: { serviceId: string; processId: string },
    id = crypto.randomUUID(),
  ) {
    const name = 'data';
    const row = { id, service_id: serviceId, process_id: processId, name, mount_path: '/data', size_bytes: 1 };
    await own().insertInto('volume').values(row).execute();
    return id;
  }

  return {
    api,
    ours,
    own,
    call,
    listed,
    itemOf: async (id: string) => (await listed()).find((one) => one.id === id),
    remove: (path: string, as = ours.tokens.admin) => call('DELETE', path, undefined, as),
    restore: (kind: string, id: string, body?: object) => call('POST', `/deleted/${kind}/${id}/restore`, body),
    purge: (kind: string, id: string, confirm: string) =>
      call('POST', `/deleted/${kind}/${id}/purge`, { confirm }, ours.sessions.admin),
    /** Goes on with it as its actor does, once. */
    actor: (deletionId = '') => asDeletionActor(api, deletionId),
    running,
    volumeOf,
    /** A service whose second release mounted a volume, which its environment has by its settings. */
    async mounting(given: Parameters<typeof running>[0] = {}) {
      const volumeId = crypto.randomUUID();
      const volumes = { [volumeId]: { name: 'data', mountPath: '/data', sizeBytes: 1, storageClass: '' } };
      const place = await running({ ...given, process: { replicas: 1, volumes } as never });
      await volumeOf(place, volumeId);
      const { id: mountedBy } = await seedRelease(api.database, place, 2, {
        process: { replicas: 1, volumes } as never,
      });
      const {
        projectId: project_id,
        environmentId: environment_id,
        serviceId: service_id,
        clusterId: cluster_id,
      } = place;
      await tenantRow(api.database, 'deployment', ours.organizationId, {
        ...{ project_id, environment_id, service_id, cluster_id, release_id: mountedBy, kind: 'deploy', state: 'live' },
        finished_at: new Date(),
      });
      return { ...place, volumeId, mountedBy };
    },
  };
}
