import { requestBuild } from '../../db/builds/request-build.ts';
import { effect } from '../../db/engine/effect.ts';
import { awaitingApproval } from '../builds/awaiting-approval.ts';
import { giveRepository } from '../builds/give-repository.ts';
import { seedSource } from '../builds/seed-source.ts';
import { machine } from '../seeds/seed.ts';
import { seedPlace } from '../seeds/seed-place.ts';
import type { Example, ExampleGround } from './example.ts';

/** Examples of builds. */
export function buildExamples({ api, ours, git }: ExampleGround): Record<string, Example> {
  const sourced = async () => {
    const place = await seedPlace(api.database, ours.organizationId);
    return { place, sourceId: await seedSource(api.database, place) };
  };
  const queued = async () => {
    const { place, sourceId } = await sourced();
    const { organizationId, projectId, environmentId, serviceId } = place;
    const source = { kind: 'upload', buildSourceId: sourceId } as const;
    const wanted = { organizationId, projectId, environmentId, serviceId, source };
    const id = await effect(api.database, machine, (asking) =>
      requestBuild(asking, { ...wanted, trigger: 'upload', deploys: true, actorUserId: undefined }),
    );
    return { id, projectId, environmentId, serviceId };
  };
  const digest = `sha256:${'a'.repeat(64)}`;
  const files = [{ path: 'index.html', kind: 'file', size: 1, digest }];
  return {
    'builds.createSource': {
      prepare: async () => ({ id: (await sourced()).place.serviceId }),
      body: () => ({ files }),
    },
    'builds.getSource': {
      prepare: async () => {
        const { place, sourceId } = await sourced();
        return { id: place.serviceId, sourceId };
      },
    },
    'builds.list': {
      prepare: queued,
      also: [
        {
          query: ({ projectId = '', environmentId = '', serviceId = '' }) => ({
            ...{ projectId, environmentId, serviceId, status: 'queued', open: 'true', unresolved: 'false' },
          }),
        },
      ],
    },
    'builds.ofService': { prepare: async () => ({ id: (await queued()).serviceId }) },
    'builds.create': {
      prepare: async () => {
        const { place, sourceId } = await sourced();
        return { id: place.serviceId, environmentId: place.environmentId, sourceId };
      },
      body: ({ environmentId, sourceId }) => ({ environmentId, sourceId }),
      also: [
        {
          prepare: async () => {
            const place = await seedPlace(api.database, ours.organizationId);
            await git.commit('team/app.git', { 'index.html': 'Hello' });
            await giveRepository(api.database, place, { gitUrl: `${git.url}/team/app.git` });
            return { id: place.serviceId, environmentId: place.environmentId };
          },
          body: ({ environmentId }) => ({ environmentId, branch: 'main' }),
        },
      ],
    },
    'builds.get': { prepare: queued },
    'builds.approve': {
      prepare: async () => {
        const { id, ...place } = await queued();
        await awaitingApproval(api.database, { ...place, organizationId: ours.organizationId });
        return { id };
      },
    },
    'builds.cancel': { prepare: queued },
    'builds.retry': {
      prepare: async () => {
        const { id } = await queued();
        await api.call('POST', `/api/v1/builds/${id}/cancel`, { as: ours.tokens.deployer });
        return { id };
      },
    },
    'builds.log': { prepare: queued },
    'builds.streamLog': { prepare: queued },
  };
}
