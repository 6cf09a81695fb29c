import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { machine } from '../seeds/seed.ts';
import { seedPlace, seedRelease } from '../seeds/seed-place.ts';
import type { Example, ExampleGround } from './example.ts';

/** Examples of deployments. */
export function deploymentExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const { organizationId } = ours;
  const waiting = async () => {
    const place = await seedPlace(api.database, organizationId);
    const release = await seedRelease(api.database, place, 1);
    const { projectId, environmentId, serviceId } = place;
    const id = crypto.randomUUID();
    const one = { id, environmentId, serviceId, releaseId: release.id, kind: 'deploy' as const, queue: true };
    await effect(api.database, machine, (asking) =>
      admit(asking, { organizationId, projectId }, { event: 'create', deployments: [one] }),
    );
    return { id, projectId, environmentId, serviceId, releaseId: release.id };
  };
  /** A place where the second of two releases is live. */
  const living = async () => {
    const place = await seedPlace(api.database, organizationId);
    const first = await seedRelease(api.database, place, 1);
    const second = await seedRelease(api.database, place, 2);
    await tenant(api.database.kysely, organizationId)
      .updateTable('environment_service')
      .set({ live_release_id: second.id })
      .where('service_id', '=', place.serviceId)
      .execute();
    return { place, firstId: first.id };
  };
  const runs = async () => {
    const { place } = await living();
    return { id: place.serviceId, environmentId: place.environmentId };
  };
  const suspended = async () => {
    const { id, environmentId } = await runs();
    await api.call('POST', `/api/v1/services/${id}/suspend`, { as: ours.tokens.deployer, body: { environmentId } });
    return { id, environmentId };
  };
  const inEnvironment = ({ environmentId = '' }: Record<string, string>) => ({ environmentId });
  const inPlace = ({ projectId = '', environmentId = '', serviceId = '' }: Record<string, string>) => ({
    ...{ projectId, environmentId, serviceId },
  });
  const environment = async () => ({ id: (await waiting()).environmentId });
  const promotion = async () => {
    const from = await seedPlace(api.database, organizationId);
    const { id: releaseId } = await seedRelease(api.database, from, 1);
    const { projectId, serviceId } = from;
    const toEnvironmentId = crypto.randomUUID();
    const own = tenant(api.database.kysely, organizationId);
    await own
      .insertInto('environment')
      .values({
        id: toEnvironmentId,
        project_id: projectId,
        name: 'Next',
        slug: 'next',
        namespace: toEnvironmentId,
      })
      .execute();
    await own.insertInto('draft').values({ environment_id: toEnvironmentId, id: crypto.randomUUID() }).execute();
    const { settings } = await own
      .selectFrom('environment_service')
      .select('settings')
      .where('service_id', '=', serviceId)
      .executeTakeFirstOrThrow();
    await own
      .insertInto('environment_service')
      .values({ environment_id: toEnvironmentId, service_id: serviceId, project_id: projectId, settings })
      .execute();
    return { id: serviceId, releaseId, toEnvironmentId };
  };
  return {
    'deployments.list': {
      prepare: waiting,
      also: [
        {
          query: ({ projectId = '', environmentId = '', serviceId = '', releaseId = '' }) => ({
            ...{ projectId, environmentId, serviceId, releaseId },
          }),
        },
        { query: ({ id = '' }) => ({ changeSetId: id }) },
      ],
    },
    'deployments.ofEnvironment': {
      prepare: async () => {
        const { environmentId: id, serviceId } = await waiting();
        return { id, serviceId };
      },
      also: [{ query: ({ serviceId = '' }) => ({ serviceId }) }],
    },
    'deployments.ofService': {
      prepare: async () => {
        const { environmentId, serviceId: id } = await waiting();
        return { id, environmentId };
      },
      also: [{ query: inEnvironment }],
    },
    'deployments.perDay': { also: [{ prepare: waiting, query: inPlace }] },
    'deployments.stats': { also: [{ prepare: waiting, query: inPlace }] },
    'deployments.get': { prepare: waiting },
    'why.deployment': { prepare: waiting },
    'why.environment': { prepare: environment },
    'why.service': {
      prepare: async () => {
        const { serviceId, environmentId } = await waiting();
        return { id: serviceId, environmentId };
      },
      query: ({ environmentId = '' }) => ({ environmentId }),
    },
    'deployments.cancel': { prepare: waiting },
    'deployments.events': { prepare: waiting },
    'deployments.stream': { prepare: waiting },
    'deployments.rollBack': { prepare: async () => ({ id: (await living()).firstId }) },
    'deployments.redeploy': { prepare: runs, body: inEnvironment },
    'services.drift': { prepare: runs, query: inEnvironment },
    'services.suspend': { prepare: runs, body: inEnvironment },
    'services.resume': { prepare: suspended, body: inEnvironment },
    'deployments.promote': {
      prepare: promotion,
      body: ({ releaseId, toEnvironmentId }) => ({ releaseId, toEnvironmentId, missingAccepted: true }),
    },
    'deployments.previewPromotion': {
      prepare: promotion,
      query: ({ releaseId = '', toEnvironmentId = '' }) => ({ releaseId, toEnvironmentId }),
    },
    'deployments.rerun': {
      prepare: async () => {
        const { id } = await waiting();
        await api.call('POST', `/api/v1/deployments/${id}/cancel`, { as: ours.tokens.deployer });
        return { id };
      },
    },
    'workloads.logsOfEnvironment': { prepare: environment },
  };
}
