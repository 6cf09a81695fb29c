import { protocolVersion } from '../../protocol/version.ts';
import { seedToken } from '../installation/running-api.ts';
import { seedAgent } from '../seeds/seed-cluster.ts';
import type { Example, ExampleGround } from './example.ts';

/** Examples of projects and of what is in them. */
export function deliveryExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const project = async () => {
    const body = { name: `Project ${crypto.randomUUID()}` };
    const made = await api.call('POST', '/api/v1/projects', { as: ours.tokens.admin, body });
    return { id: (made.body.project as { id: string }).id };
  };
  const environment = async () => {
    const { id: projectId } = await project();
    const body = { name: 'Made', production: false };
    const made = await api.call('POST', `/api/v1/projects/${projectId}/environments`, { as: ours.tokens.admin, body });
    return { id: String(made.body.id), projectId };
  };
  const service = async () => {
    const { id: projectId } = await project();
    const body = { name: 'Api', source: { kind: 'image', imageRepository: 'registry.example.com/api:1' } };
    const made = await api.call('POST', `/api/v1/projects/${projectId}/services`, { as: ours.tokens.admin, body });
    const { service, processes } = made.body as { service: { id: string }; processes: [{ id: string }] };
    return { id: service.id, projectId, serviceId: service.id, processId: processes[0].id };
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
    const { id: processId } = await process();
    const body = { name: 'data', mountPath: '/data', sizeBytes: 1_000_000 };
    const made = await api.call('POST', `/api/v1/processes/${processId}/volumes`, { as: ours.tokens.admin, body });
    return { id: String(made.body.id), processId };
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
    'projects.change': { prepare: project, body: () => ({ name: 'Renamed', deployConcurrency: 3 }) },
    'projects.clusterRecommendation': {
      prepare: async () => {
        const { projectId } = await running();
        return { id: projectId };
      },
    },
    'environments.change': { prepare: environment, body: () => ({ name: 'Renamed', gitBranch: 'main' }) },
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
    'projects.create': { body: () => ({ name: 'Made', description: 'For the sweep.' }) },
    'projects.get': { prepare: project },
    'environments.list': { prepare: project },
    'environments.create': { prepare: project, body: () => ({ name: 'Preview', production: false }) },
    'environments.get': { prepare: environment },
    'environments.compare': { prepare: environment, query: ({ id = '' }) => ({ with: id }) },
    'environments.clone': { prepare: environment, body: () => ({ name: 'Copy' }) },
    'services.list': { prepare: inProject },
    'services.create': {
      prepare: project,
      body: () => ({ name: 'Web', source: { kind: 'image' }, process: { kind: 'http', port: 3000 } }),
    },
    'services.get': { prepare: service },
    'services.change': { prepare: service, body: () => ({ name: 'Renamed', releaseCommand: ['migrate'] }) },
    'services.deletionImpact': { prepare: service },
    'services.delete': { prepare: service },
    'services.setCanvas': {
      prepare: inProject,
      body: ({ serviceId }) => ({ positions: [{ serviceId, x: 10.5, y: -20 }] }),
    },
    'services.clearCanvas': { prepare: inProject },
    'processes.list': { prepare: service },
    'processes.create': { prepare: service, body: () => ({ name: 'nightly', kind: 'cron', schedule: '0 3 * * *' }) },
    'processes.get': { prepare: process },
    'processes.change': { prepare: process, body: () => ({ replicas: 2, port: 9000 }) },
    'processes.delete': { prepare: second },
    'volumes.list': { prepare: async () => ({ id: (await volume()).processId }) },
    'volumes.create': { prepare: process, body: () => ({ name: 'data', mountPath: '/data', sizeBytes: 1_000_000 }) },
    'volumes.get': { prepare: volume },
    'volumes.change': { prepare: volume, body: () => ({ sizeBytes: 2_000_000 }) },
    'volumes.delete': { prepare: volume },
  };
}
