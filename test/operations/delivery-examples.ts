import { protocolVersion } from '../../protocol/version.ts';
import { seedToken } from '../installation/running-api.ts';
import { seedAgent } from '../seeds/seed-cluster.ts';
import { unreachedBucket } from './change-examples.ts';
import { deployable } from './deployable.ts';
import type { Example, ExampleGround } from './example.ts';

/** Examples of projects and of what is in them. */
export function deliveryExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const project = async () => {
    const body = { name: `Project ${crypto.randomUUID()}` };
    const made = await api.call('POST', '/api/v1/projects', { as: ours.tokens.admin, body });
    return { id: (made.body.project as { id: string }).id };
  };
  const deployableIn = (made: () => Promise<Record<string, string>>) => async () => ({
    ...(await deployable(api, ours)),
    ...(await made()),
  });
  const environment = async () => {
    const { id: projectId } = await project();
    const body = { name: 'Made', production: false };
    const made = await api.call('POST', `/api/v1/projects/${projectId}/environments`, { as: ours.tokens.admin, body });
    return { id: String(made.body.id), projectId, environmentId: String(made.body.id) };
  };
  /** One of two environments of a project. */
  const inEnvironment = async () => {
    const made = await environment();
    const body = { name: 'Other', production: false };
    const path = `/api/v1/projects/${made.projectId}/environments`;
    const other = await api.call('POST', path, { as: ours.tokens.admin, body });
    return { ...made, other: String(other.body.id) };
  };
  const service = async () => {
    const { id: projectId } = await project();
    const body = { name: 'Api', source: { kind: 'image', imageRepository: 'registry.example.com/api:1' } };
    const made = await api.call('POST', `/api/v1/projects/${projectId}/services`, { as: ours.tokens.admin, body });
    const { service, processes, environmentId } = made.body as {
      service: { id: string };
      processes: [{ id: string }];
      environmentId: string;
    };
    return { id: service.id, projectId, serviceId: service.id, processId: processes[0].id, environmentId };
  };
  const process = async () => {
    const made = await service();
    return { ...made, id: made.processId };
  };
  const second = async () => {
    const made = await service();
    const body = { name: 'worker', kind: 'worker' };
    const created = await api.call('POST', `/api/v1/services/${made.id}/processes`, { as: ours.tokens.admin, body });
    return { ...made, id: String(created.body.id) };
  };
  const volume = async () => {
    const { id: processId, environmentId } = await process();
    const body = { name: 'data', mountPath: '/data', sizeBytes: 1_000_000 };
    const made = await api.call('POST', `/api/v1/processes/${processId}/volumes`, { as: ours.tokens.admin, body });
    return { id: String(made.body.id), processId, environmentId };
  };
  /** A volume in an environment with a cluster, and a store. */
  const backedUp = async () => {
    const { id, environmentId } = await volume();
    const as = await seedToken(api.database, ours.organizationId, 'admin');
    const kept = await api.call('POST', '/api/v1/object-stores', { as, body: unreachedBucket() });
    const objectStoreId = String(kept.body.id);
    const body = { name: `Cluster ${crypto.randomUUID()}` };
    const { cluster } = (await api.call('POST', '/api/v1/clusters', { as, body })).body as { cluster: { id: string } };
    await api.call('PATCH', `/api/v1/environments/${environmentId}`, { as, body: { clusterId: cluster.id } });
    return { id, environmentId, objectStoreId };
  };
  const backup = async (state = 'queued') => {
    const { id: volumeId, environmentId, objectStoreId } = await backedUp();
    const body = { environmentId, objectStoreId };
    const made = await api.call('POST', `/api/v1/volumes/${volumeId}/backups`, { as: ours.tokens.admin, body });
    const id = String(made.body.id);
    if (state !== 'queued') {
      const over = { state, finished_at: new Date() } as { state: 'failed'; finished_at: Date };
      await api.database.kysely.updateTable('volume_backup').set(over).where('id', '=', id).execute();
    }
    return { id, volumeId, environmentId, serviceId: String(made.body.serviceId) };
  };
  const restore = async () => {
    const { id: backupId, volumeId, environmentId, serviceId } = await backup('succeeded');
    const body = { environmentId, backupId };
    const made = await api.call('POST', `/api/v1/volumes/${volumeId}/restore`, { as: ours.tokens.admin, body });
    return { id: String(made.body.id), environmentId, serviceId };
  };
  const inProject = async () => {
    const made = await service();
    return { ...made, id: made.projectId };
  };
  /** A process that a cluster in contact runs in its environment. */
  const running = async (kind = 'http') => {
    const { kysely } = api.database;
    const made = await process();
    const { organizationId } = ours;
    const body = { name: `Cluster ${crypto.randomUUID()}` };
    const as = await seedToken(api.database, organizationId, 'admin');
    const { cluster } = (await api.call('POST', '/api/v1/clusters', { as, body })).body as { cluster: { id: string } };
    await seedAgent(api.database, cluster.id, 'ballast-agent:1');
    const spoken = { protocol_minor: protocolVersion.minor };
    await kysely.updateTable('cluster_agent').set(spoken).where('cluster_id', '=', cluster.id).execute();
    const [staging] = await kysely
      .updateTable('environment')
      .set({ cluster_id: cluster.id })
      .where('project_id', '=', made.projectId)
      .where('production', '=', false)
      .returning('id')
      .execute();
    const environmentId = staging?.id ?? '';
    const key = `env/${environmentId}/${made.serviceId}`;
    const workload = { release: '1', image: { layout: '/srv/app' }, processes: [{ name: 'web', kind }] };
    await kysely
      .insertInto('cluster_slice')
      .values({ cluster_id: cluster.id, key, organization_id: organizationId, name: 'Api', revision: 1, workload })
      .execute();
    return { ...made, environmentId };
  };
  const commanded = async () => {
    const { id, environmentId } = await running();
    const path = `/api/v1/processes/${id}/restart?environmentId=${environmentId}`;
    const made = await api.call('POST', path, { as: ours.tokens.deployer });
    return { id: environmentId, commandId: String(made.body.id) };
  };
  const environmentId = (path: Record<string, string>) => ({ environmentId: path.environmentId ?? '' });
  return {
    'projects.change': {
      prepare: project,
      body: () => ({ name: 'Renamed', deployConcurrency: 3 }),
      also: [
        { body: () => ({ ownerId: ours.sessions.viewer.userId }) },
        { prepare: deployableIn(project), body: ({ teamId }) => ({ teamId }) },
      ],
    },
    'projects.clusterRecommendation': {
      prepare: async () => {
        const { projectId } = await running();
        return { id: projectId };
      },
    },
    'projects.images': { prepare: project },
    'environments.change': {
      prepare: environment,
      body: () => ({ name: 'Renamed', gitBranch: 'main' }),
      also: [{ prepare: deployableIn(environment), body: ({ clusterId }) => ({ clusterId }) }],
    },
    'environments.overview': {
      prepare: async () => {
        const made = await running();
        return { id: made.environmentId };
      },
    },
    'environments.command': { prepare: commanded },
    'processes.restart': { prepare: () => running(), query: environmentId },
    'processes.run': { prepare: () => running('cron'), query: environmentId },
    'processes.runs': { prepare: () => running('cron'), query: environmentId },
    'projects.list': { prepare: project },
    'projects.create': {
      body: () => ({ name: 'Made', description: 'For the sweep.' }),
      also: [
        {
          prepare: () => deployable(api, ours),
          body: ({ teamId, clusterId }) => ({ name: 'Made', teamId, clusterId }),
        },
      ],
    },
    'projects.get': { prepare: project },
    'environments.list': { prepare: project },
    'environments.create': {
      prepare: deployableIn(project),
      body: ({ clusterId }) => ({ name: 'Preview', production: false, clusterId }),
    },
    'environments.get': { prepare: environment },
    'environments.compare': { prepare: inEnvironment, query: ({ other = '' }) => ({ with: other }) },
    'environments.clone': {
      prepare: deployableIn(environment),
      body: ({ clusterId }) => ({ name: 'Copy', clusterId }),
    },
    'services.list': { prepare: inProject, also: [{ query: environmentId }] },
    'services.create': {
      prepare: project,
      body: () => ({ name: 'Web', source: { kind: 'image' }, process: { kind: 'http', port: 3000 } }),
      also: [
        {
          prepare: deployableIn(async () => {
            const { projectId: id, environmentId: made } = await environment();
            return { id, environmentId: made };
          }),
          body: ({ environmentId: id, registryCredentialId }) => ({
            ...{ name: 'Web', environmentId: id },
            source: { kind: 'image', imageRepository: 'registry.example.com/api:1', registryCredentialId },
          }),
        },
        {
          prepare: deployableIn(project),
          body: ({ gitConnectionId }) => ({
            name: 'Git',
            source: { kind: 'git', gitConnectionId, repository: 'team/app', builder: 'auto' },
          }),
        },
      ],
    },
    'services.get': { prepare: service, also: [{ query: environmentId }] },
    'services.change': {
      prepare: service,
      body: () => ({ name: 'Renamed', releaseCommand: ['migrate'] }),
      also: [
        {
          prepare: deployableIn(service),
          query: environmentId,
          body: ({ registryCredentialId }) => ({ source: { kind: 'image', registryCredentialId } }),
        },
        {
          prepare: deployableIn(service),
          query: environmentId,
          body: ({ gitConnectionId }) => ({ source: { kind: 'git', gitConnectionId, repository: 'team/app' } }),
        },
      ],
    },
    'services.deletionImpact': { prepare: service },
    'services.delete': { prepare: service },
    'services.setCanvas': {
      prepare: inProject,
      body: ({ serviceId }) => ({ positions: [{ serviceId, x: 10.5, y: -20 }] }),
    },
    'services.clearCanvas': { prepare: inProject },
    'processes.list': { prepare: service, also: [{ query: environmentId }] },
    'processes.create': {
      prepare: service,
      body: () => ({ name: 'nightly', kind: 'cron', schedule: '0 3 * * *' }),
      also: [{ query: environmentId }],
    },
    'processes.get': { prepare: process, also: [{ query: environmentId }] },
    'processes.change': {
      prepare: process,
      body: () => ({ replicas: 2, port: 9000 }),
      also: [{ query: environmentId }],
    },
    'processes.delete': { prepare: second, also: [{ query: environmentId }] },
    'volumes.list': {
      prepare: async () => {
        const { processId: id, ...made } = await volume();
        return { ...made, id };
      },
      also: [{ query: environmentId }],
    },
    'volumes.create': {
      prepare: process,
      body: () => ({ name: 'data', mountPath: '/data', sizeBytes: 1_000_000 }),
      also: [{ query: environmentId }],
    },
    'volumes.get': { prepare: volume, also: [{ query: environmentId }] },
    'volumes.change': { prepare: volume, body: () => ({ sizeBytes: 2_000_000 }), also: [{ query: environmentId }] },
    'volumeBackups.list': { prepare: backedUp, query: environmentId },
    'volumeBackups.listAll': {
      prepare: backup,
      also: [{ query: environmentId }, { query: ({ serviceId = '' }) => ({ serviceId }) }],
    },
    'volumeBackups.create': {
      prepare: backedUp,
      body: ({ environmentId, objectStoreId }) => ({ environmentId, objectStoreId }),
    },
    'volumeRestores.list': { prepare: backedUp, query: environmentId },
    'volumeRestores.listAll': {
      prepare: restore,
      also: [{ query: environmentId }, { query: ({ serviceId = '' }) => ({ serviceId }) }],
    },
    'volumeRestores.create': {
      prepare: async () => {
        const { id: backupId, volumeId: id, environmentId } = await backup('succeeded');
        return { id, backupId, environmentId };
      },
      body: ({ environmentId, backupId }) => ({ environmentId, backupId }),
    },
    'volumeRestores.get': { prepare: restore },
    'volumeRestores.cancel': { prepare: restore },
    'volumeBackups.get': { prepare: backup },
    'volumeBackups.cancel': { prepare: backup },
    'volumeBackups.delete': { prepare: () => backup('failed') },
    'volumeBackups.download': { prepare: () => backup('succeeded') },
    'volumes.delete': { prepare: volume, also: [{ query: environmentId }] },
  };
}
