import { settle } from '../../db/change-sets/settle.ts';
import { admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { noSource } from '../../domain/services/settings.ts';
import { seedSource } from '../builds/seed-source.ts';
import { machine } from '../seeds/seed.ts';
import { seedPlace, seedRelease } from '../seeds/seed-place.ts';
import { seedService } from '../seeds/seed-service.ts';
import { tenantRow } from '../seeds/tenant-row.ts';
import type { Example, ExampleGround } from './example.ts';
import { itemExamples } from './item-examples.ts';

/** Examples of staged changes, of what becomes of them, and of approvals. */
export function changeExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const as = ours.tokens.admin;
  const staging = async () => {
    const made = await api.call('POST', '/api/v1/projects', { as, body: { name: `Project ${crypto.randomUUID()}` } });
    const { project, environments } = made.body as { project: { id: string }; environments: { id: string }[] };
    const service = await seedService(api.database, { organizationId: ours.organizationId, projectId: project.id });
    return { id: environments[1]?.id ?? '', projectId: project.id, ...service };
  };
  const staged = async () => {
    const { id: environmentId, serviceId } = await staging();
    const body = { kind: 'service.create', serviceId };
    const url = `/api/v1/environments/${environmentId}/change-set/items`;
    const view = await api.call('PUT', url, { as, body });
    const { changeSet, items } = view.body as { changeSet: { id: string }; items: { id: string }[] };
    return { environmentId, serviceId, id: changeSet.id, itemId: items[0]?.id ?? '' };
  };
  /** The id of the draft beside what was prepared in an environment. */
  const draftOf = async (prepare: () => Promise<Record<string, string>>) => {
    const { id: environmentId, ...made } = await prepare();
    const { body } = await api.call('GET', `/api/v1/environments/${environmentId}/change-set`, { as });
    return { ...made, id: (body.changeSet as { id: string }).id };
  };
  /** A service of which an uploaded folder is to be built. */
  const uploaded = async () =>
    await draftOf(async () => {
      const place = await seedPlace(api.database, ours.organizationId);
      const { environmentId: id, serviceId } = place;
      const value = { ...noSource, kind: 'upload' };
      const body = { kind: 'service.set', serviceId, key: 'source', value };
      await api.call('PUT', `/api/v1/environments/${id}/change-set/items`, { as, body });
      return { id, serviceId, sourceId: await seedSource(api.database, place) };
    });
  const draft = async () => {
    const { environmentId: id, serviceId } = await staged();
    return { id, serviceId };
  };
  /** A change set of a production environment that waits; requested by a deployer, so that an admin may decide. */
  const held = async () => {
    const made = await api.call('POST', '/api/v1/projects', { as, body: { name: `Project ${crypto.randomUUID()}` } });
    const { project, environments } = made.body as { project: { id: string }; environments: { id: string }[] };
    const ref = { organizationId: ours.organizationId, projectId: project.id };
    const { serviceId } = await seedService(api.database, ref);
    const url = `/api/v1/environments/${environments[0]?.id}/change-set/items`;
    const by = ours.tokens.deployer;
    const view = await api.call('PUT', url, { as: by, body: { kind: 'service.create', serviceId } });
    const { id } = view.body.changeSet as { id: string };
    const applied = await api.call('POST', `/api/v1/change-sets/${id}/apply`, { as: by, body: {} });
    await api.database.kysely
      .updateTable('approval')
      .set({ answerable_id: null })
      .where('change_set_id', '=', id)
      .execute();
    const approval = applied.body.approval as { id: string };
    return { id: approval.id, projectId: project.id, environmentId: environments[0]?.id ?? '' };
  };
  /** A change set whose only deployment was cancelled, and that set a variable. */
  const ended = async () => {
    const place = await seedPlace(api.database, ours.organizationId);
    const release = await seedRelease(api.database, place, 1);
    const { organizationId, projectId, environmentId: environment_id, serviceId: service_id } = place;
    const [id, deploymentId] = [crypto.randomUUID(), crypto.randomUUID()];
    const own = tenant(api.database.kysely, organizationId);
    const by = { requested_by_kind: 'user' as const, requested_by_id: 'a', requested_by_name: 'A' };
    const set = { id, project_id: projectId, environment_id, ...by, source: 'api' as const, applied_at: new Date() };
    await own
      .insertInto('change_set')
      .values({ ...set, state: 'applying' })
      .execute();
    const variable = { environment_id, service_id, key: 'A' };
    await own
      .insertInto('variable')
      .values({ ...variable, value: '1', updated_by: 'A' })
      .execute();
    const staged = { staged_by_id: 'a', staged_by_name: 'A', label: 'Variable A', slot: `variable ${service_id} A` };
    await own
      .insertInto('change_set_item')
      .values({
        ...{ ...variable, ...staged, id: crypto.randomUUID(), change_set_id: id },
        ...{ kind: 'variable.set', from_value: '"0"', to_value: '"1"' },
      })
      .execute();
    const one = { id: deploymentId, environmentId: environment_id, serviceId: service_id, releaseId: release.id };
    const deployments = [{ ...one, kind: 'change-set' as const, queue: true, changeSetId: id }];
    const project = { organizationId, projectId };
    await effect(api.database, machine, async (ending) => {
      await admit(ending, project, { event: 'create', deployments });
      await admit(ending, project, { event: 'cancel', id: deploymentId, because: 'person' });
      await settle(ending, { changeSetId: id, organizationId });
    });
    return { id };
  };
  const credential = async () => {
    const body = {
      name: `Made ${crypto.randomUUID()}`,
      host: 'registry.example.com',
      username: 'ada',
      password: 'secret',
    };
    const made = await api.call('POST', '/api/v1/registry-credentials', { as, body });
    return { id: String(made.body.id) };
  };
  const store = async () => {
    const made = await api.call('POST', '/api/v1/object-stores', { as, body: unreachedBucket() });
    return { id: String(made.body.id) };
  };
  const project = async () => {
    const made = await api.call('POST', '/api/v1/projects', { as, body: { name: 'Allowed' } });
    return { projectId: (made.body.project as { id: string }).id };
  };
  const release = async () => {
    const { id: environmentId, serviceId } = await staging();
    const id = crypto.randomUUID();
    const { organizationId } = ours;
    await tenantRow(api.database, 'release', organizationId, {
      id,
      environment_id: environmentId,
      service_id: serviceId,
    });
    return { id: serviceId, environmentId, releaseId: id };
  };
  /** A staged service whose image is in its own repository. */
  const pushed = async () => {
    const made = await staging();
    const ref = { service_id: made.serviceId, digest: `sha256:${'1'.repeat(64)}` };
    const content = Buffer.from('{}');
    await tenantRow(api.database, 'registry_manifest', ours.organizationId, { ...ref, content, config: '{}' });
    const url = `/api/v1/environments/${made.id}/change-set/items:batch`;
    const value = { ...noSource, imageRepository: `@${ref.digest}` };
    const items = [
      { kind: 'service.create', serviceId: made.serviceId },
      { kind: 'service.set', serviceId: made.serviceId, key: 'source', value },
    ];
    await api.call('PUT', url, { as, body: { items } });
    return made;
  };
  const ofService = ({ serviceId = '' }: Record<string, string>) => ({ serviceId });
  const items = itemExamples({ api, ours });
  return {
    'changeSets.applyDraft': {
      prepare: staged,
      body: ({ serviceId }) => ({ message: 'For the sweep.', deployServiceIds: [serviceId] }),
      also: [
        { body: ({ serviceId }) => ({ serviceIds: [serviceId] }) },
        { prepare: uploaded, body: ({ serviceId, sourceId }) => ({ uploads: [{ serviceId, sourceId }] }) },
        // The repository of an example cannot be asked for a commit.
        {
          prepare: () => draftOf(items.prepare),
          body: (path) => ({ items: items.of(path).filter((one) => !JSON.stringify(one).includes('gitConnectionId')) }),
        },
      ],
    },
    'changeSets.retry': { prepare: ended },
    'changeSets.revert': { prepare: ended },
    'changeSets.cancel': {
      prepare: async () => {
        const { id } = await held();
        const approval = await api.call('GET', `/api/v1/approvals/${id}`, { as });
        return { id: String(approval.body.changeSetId) };
      },
    },
    'approvals.list': {
      prepare: held,
      also: [{ query: ({ environmentId = '', projectId = '' }) => ({ environmentId, projectId }) }],
    },
    'approvals.get': { prepare: held },
    'approvals.decide': {
      as: (mine) => mine.sessions.admin,
      prepare: held,
      body: () => ({ decision: 'rejected', reason: 'For the sweep.' }),
    },
    'approvals.breakGlass': {
      as: (mine) => mine.sessions.owner,
      prepare: held,
      body: () => ({ reason: 'For the sweep.' }),
    },
    'approvals.refresh': { prepare: held },
    'releases.get': { prepare: async () => ({ id: (await release()).releaseId }) },
    'releases.imageConfig': {
      prepare: async () => {
        const { id: environmentId, serviceId: id } = await pushed();
        return { id, environmentId };
      },
      query: ({ environmentId = '' }) => ({ environmentId }),
    },
    'releases.list': { prepare: release, also: [{ query: ({ environmentId = '' }) => ({ environmentId }) }] },
    'registryCredentials.list': { prepare: credential },
    'registryCredentials.create': {
      body: () => ({ name: 'Made', host: 'registry.example.com', username: 'ada', password: 'secret' }),
      also: [
        {
          prepare: project,
          body: ({ projectId }) => ({
            ...{ name: `Made ${projectId}`, host: 'registry.example.com', username: 'ada', password: 'secret' },
            projectIds: [projectId],
          }),
        },
      ],
    },
    'registryCredentials.update': {
      prepare: async () => ({ ...(await project()), ...(await credential()) }),
      body: ({ projectId }) => ({ projectIds: [projectId] }),
    },
    'registryCredentials.delete': { prepare: credential },
    'registryCredentials.get': { prepare: credential },
    'registryCredentials.check': { prepare: credential },
    'objectStores.list': { prepare: store },
    'objectStores.create': { body: unreachedBucket },
    'objectStores.get': { prepare: store },
    'objectStores.update': { prepare: store, body: () => ({ name: `Changed ${crypto.randomUUID()}` }) },
    'objectStores.delete': { prepare: store },
    'objectStores.verify': { prepare: store },
    'changeSets.draft': { prepare: draft },
    'changeSets.putItem': {
      prepare: items.prepare,
      body: ({ otherId }) => ({ kind: 'service.create', serviceId: otherId }),
      also: items.kinds.map((at) => ({ body: (path) => items.of(path)[at] })),
    },
    'changeSets.putItems': {
      prepare: items.prepare,
      body: (path) => ({ items: items.of(path) }),
      also: [
        {
          body: ({ serviceId }) => ({
            ...{ items: [{ kind: 'variable.set', key: 'B', value: '1' }], dryRun: true, serviceIds: [serviceId] },
          }),
          personal: true,
        },
      ],
    },
    'changeSets.deleteItem': { prepare: async () => ({ id: (await staged()).itemId }) },
    'changeSets.discard': { prepare: staged },
    'changeSets.get': { prepare: staged },
    'changeSets.list': { prepare: staging },
    'variables.list': { prepare: staging, also: [{ query: ofService }] },
    'variables.history': { prepare: staging, query: ({ serviceId = '' }) => ({ serviceId, key: 'A' }) },
    'variables.referrers': { prepare: staging, also: [{ query: ofService }] },
    'variables.import': { prepare: draft, body: ({ serviceId }) => ({ serviceId, text: 'A=1', secret: ['A'] }) },
  };
}

/** Nobody answers there. */
export const unreachedBucket = () => ({
  ...{ name: `Made ${crypto.randomUUID()}`, endpoint: 'https://s3.example.com', bucket: 'backups' },
  ...{ accessKeyId: 'ada', secretAccessKey: 'secret' },
});
