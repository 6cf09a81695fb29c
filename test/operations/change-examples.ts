import { seedService } from '../seeds/seed-service.ts';
import type { Example, ExampleGround } from './example.ts';

/** Examples of staged changes, of what becomes of them, and of approvals. */
export function changeExamples({ api, ours }: ExampleGround): Record<string, Example> {
  const as = ours.tokens.admin;
  const staging = async () => {
    const made = await api.call('POST', '/api/v1/projects', { as, body: { name: `Project ${crypto.randomUUID()}` } });
    const { project, environments } = made.body as { project: { id: string }; environments: { id: string }[] };
    const service = await seedService(api.database, { organizationId: ours.organizationId, projectId: project.id });
    return { id: environments[1]?.id ?? '', ...service };
  };
  const staged = async () => {
    const { id: environmentId, serviceId } = await staging();
    const body = { kind: 'service.create', serviceId };
    const url = `/api/v1/environments/${environmentId}/change-set/items`;
    const view = await api.call('PUT', url, { as, body });
    const { changeSet, items } = view.body as { changeSet: { id: string }; items: { id: string }[] };
    return { environmentId, serviceId, id: changeSet.id, itemId: items[0]?.id ?? '' };
  };
  const draft = async () => {
    const { environmentId: id, serviceId } = await staged();
    return { id, serviceId };
  };
  return {
    'changeSets.draft': { prepare: draft },
    'changeSets.putItem': { prepare: staging, body: ({ serviceId }) => ({ kind: 'service.create', serviceId }) },
    'changeSets.putItems': {
      prepare: draft,
      body: ({ serviceId }) => ({ items: [{ kind: 'variable.set', serviceId, key: 'A', value: '1', secret: true }] }),
    },
    'changeSets.deleteItem': { prepare: async () => ({ id: (await staged()).itemId }) },
    'changeSets.discard': { prepare: staged },
    'changeSets.get': { prepare: staged },
    'changeSets.list': { prepare: staging },
    'variables.list': { prepare: staging },
  };
}
