import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Applied, ApplyGround } from '../seeds/apply-ground.ts';
import { seedService } from '../seeds/seed-service.ts';

export type Service = Awaited<ReturnType<typeof seedService>>;

const nothing: Service = { serviceId: '', processId: '', slug: '' };

/** A project for each test of a file, with the services `api` and `db`, whose values may refer to each other's. */
export function referencesGround() {
  const at = new ApplyGround();
  // The same objects in all tests: those of each test are written into them.
  const [api, db] = [{ ...nothing }, { ...nothing }];

  beforeAll(() => at.open());
  beforeEach(async () => {
    await at.begin();
    Object.assign(api, await service('api'));
    Object.assign(db, await service('db'));
  });
  afterAll(() => at.close());

  async function service(slug: string): Promise<Service> {
    const place = { organizationId: at.ours.organizationId, projectId: at.projectId };
    return await seedService(at.api.database, place, { slug, image: `${at.host}/app:1` });
  }

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
    decide: (id = '') => at.call('POST', `/approvals/${id}/decide`, { decision: 'approved' }, at.ours.sessions.owner),
    contentOf: async (releaseId: string) =>
      await at.api.database.kysely
        .selectFrom('release')
        .select(['content', 'content_digest as digest'])
        .where('id', '=', releaseId)
        .executeTakeFirstOrThrow(),
    releaseIdOf: ({ deployments }: Applied, { serviceId }: Service) =>
      deployments.find((one) => one.serviceId === serviceId)?.releaseId ?? '',
    allLive: async ({ deployments }: Applied) => {
      for (const { id } of deployments) await at.goLive(id);
    },
  };
}
