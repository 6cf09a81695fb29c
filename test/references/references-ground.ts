import { beforeEach } from 'vitest';
import { type Applied, applyGround } from '../seeds/apply-ground.ts';
import type { seedService } from '../seeds/seed-service.ts';

export type Service = Awaited<ReturnType<typeof seedService>>;

const nothing: Service = { serviceId: '', processId: '', slug: '' };

/** A project for each test of a file, with the services `api` and `db`, whose values may refer to each other's. */
export function referencesGround() {
  const at = applyGround();
  // The same objects in all tests: those of each test are written into them.
  const [api, db] = [{ ...nothing }, { ...nothing }];

  beforeEach(async () => {
    Object.assign(api, await service('api'));
    Object.assign(db, await service('db'));
  });

  const service = (slug: string): Promise<Service> =>
    at.ours.service(at.projectId, { slug, image: `${at.host}/app:1` });

  /** Of a service, or shared. */
  const variable = (kind: string, of: Service | undefined, key: string, more: object) => ({
    ...{ kind, key, ...more },
    ...(of === undefined ? {} : { serviceId: of.serviceId }),
  });

  return {
    at,
    api,
    db,
    service,
    add: ({ serviceId }: Service) => ({ kind: 'service.create', serviceId }),
    remove: ({ serviceId }: Service) => ({ kind: 'service.remove', serviceId }),
    set: (of: Service | undefined, key: string, value: string, more: object = {}) =>
      variable('variable.set', of, key, { value, ...more }),
    unset: (of: Service | undefined, key: string) => variable('variable.unset', of, key, {}),
    batch: (...items: object[]) => at.call('PUT', `/environments/${at.staging}/change-set/items:batch`, { items }),
    contentOf: async (releaseId: string) => await at.api.rows.one('release', { id: releaseId }),
    releaseIdOf: ({ deployments }: Applied, { serviceId }: Service) =>
      deployments.find((one) => one.serviceId === serviceId)?.releaseId ?? '',
    allLive: async ({ deployments }: Applied) => {
      for (const { id } of deployments) await at.goLive(id);
    },
  };
}
